/* Proposes the end of a new page's address from its name, until somebody types one. */
const slugOf = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60).replace(/^-+|-+$/g, "");

function propose({ name, slug }) {
  if (!("typed" in slug.dataset)) slug.value = slugOf(name.value);
}

document.addEventListener("input", ({ target }) => {
  const { name, slug } = target.form?.elements ?? {};
  if (target === slug) slug.dataset.typed = "";
  else if (slug && target === name) propose({ name, slug });
});

// A name may be typed before the script is there.
for (const { elements: { name, slug } } of document.forms) {
  if (slug && name && name.value !== name.defaultValue && !slug.value) propose({ name, slug });
}
