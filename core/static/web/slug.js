/* Proposes the end of a new page's address from its name, until somebody types one. */
const slugOf = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60).replace(/^-+|-+$/g, "");

document.addEventListener("input", ({ target }) => {
  const { name, slug } = target.form?.elements ?? {};
  if (!slug || !name) return;
  if (target === slug) slug.dataset.typed = "";
  else if (target === name && !("typed" in slug.dataset)) slug.value = slugOf(name.value);
});
