/* Proposes the end of a new page's address from its name, until somebody types one. */
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d" };

function slugOf(name) {
  const plain = name.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").replace(/[ßæœøłđ]/g, (letter) => LETTERS[letter]);
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "").slice(0, 60).replace(/-$/, "");
}

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
