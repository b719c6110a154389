// Typing @ in a field with data-suggests offers members. Arrows walk, Enter and Tab choose, Escape closes.
const menu = document.createElement("div");
Object.assign(menu, { id: "mentions", className: "menu", popover: "manual", role: "listbox" });
const DELAY = 150;
let field = null;
let latest = 0;

const typed = () => field.value.slice(0, field.selectionStart).match(/(?<![\w@.])@([^\n@]{0,60})$/u)?.[1];
const options = () => [...menu.querySelectorAll("[role=option]")];
const selectedOption = () => menu.querySelector("[aria-selected=true]");
const isOpen = () => menu.matches(":popover-open");

function close() {
  latest += 1;
  if (!isOpen()) return;
  menu.hidePopover();
  for (const name of ["aria-controls", "aria-activedescendant", "aria-autocomplete"]) field.removeAttribute(name);
}

function select(option) {
  for (const other of options()) other.setAttribute("aria-selected", other === option);
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function insert(option) {
  const place = field.selectionStart - typed().length;
  field.setRangeText(`${option.dataset.label} `, place, field.selectionStart, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

// The page of the members is the list itself, so that there is one template.
async function offer() {
  const term = typed();
  if (term === undefined) { close(); return; }
  latest += 1;
  const current = latest;
  await new Promise((done) => { setTimeout(done, DELAY); });
  if (current !== latest) return;
  const address = `${field.dataset.suggests}?q=${encodeURIComponent(term)}`;
  const answer = await fetch(address, { headers: { "HX-Request": "true" } }).catch(() => null);
  const page = new DOMParser().parseFromString(answer?.ok ? await answer.text() : "", "text/html");
  if (current !== latest) return;
  const list = page.getElementById("members");
  const items = [...list?.querySelectorAll("[role=option]") ?? []];
  // Behind a whole name the text goes on.
  const isWhole = /\s$/u.test(term) && items.some(({ dataset }) => dataset.label.toLowerCase() === term.trim().toLowerCase());
  if (!items.length || isWhole) { close(); return; }
  menu.ariaLabel = list.getAttribute("aria-label");
  menu.replaceChildren(...items);
  field.after(menu);
  if (!isOpen()) menu.showPopover({ source: field });
  field.setAttribute("aria-controls", menu.id);
  field.setAttribute("aria-autocomplete", "list");
  select(items[0]);
}

document.addEventListener("input", ({ target }) => {
  if (!target.matches("[data-suggests]")) return;
  if (field && field !== target) close();
  field = target;
  offer();
});

document.addEventListener("keydown", (event) => {
  if (event.target !== field || !isOpen() || event.isComposing) return;
  const list = options();
  const step = { ArrowDown: 1, ArrowUp: list.length - 1 }[event.key];
  if (step) select(list[(list.indexOf(selectedOption()) + step) % list.length]);
  else if (event.key === "Enter" || event.key === "Tab") insert(selectedOption());
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);

menu.addEventListener("mousedown", (event) => {
  event.preventDefault();
  const option = event.target.closest("[role=option]");
  if (option) insert(option);
});
document.addEventListener("focusout", ({ target }) => { if (target === field) close(); });
