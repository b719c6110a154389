// Values of a table or of a record's facts, changed at their place: a pen, a double click in a table, a click on a fact or Enter
// on a pen opens the form, which the value's own small page has; Esc gives the value back. Arrows walk from pen to pen of a row.

const query = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const CELL = "td, dd.fact", FORM = ":is(td, dd.fact) .cell-form";
const FIELDS = "input:not([type=hidden]), select, textarea";
const before = new WeakMap(); // the cell with the form -> the cell as it was

async function ask(address, options = {}) {
  try {
    const answer = await fetch(address, { ...options, headers: { "HX-Request": "true" } });
    const login = answer.headers.get("HX-Redirect");
    if (login) { location.assign(login); return null; }
    if (!answer.ok && answer.status !== 422) throw new Error(String(answer.status));
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    document.dispatchEvent(new Event("htmx:error"));
    return null;
  }
}

// Puts the cell of an answer in the place of this one.
function replaceCell(cell, page) {
  const source = page && query(CELL, page);
  if (!source || !cell.isConnected) return;
  const copy = document.importNode(source, true);
  copy.classList.add(...cell.classList);
  const form = query(".cell-form", copy);
  copy.classList.toggle("editing", Boolean(form));
  if (form) before.set(copy, before.get(cell) ?? cell);
  cell.replaceWith(copy);
  const field = form ? query("[aria-invalid]", form) ?? all(FIELDS, form).at(query(".cell-form", cell) ? -1 : 0) ?? form : query(".pen", copy);
  field?.focus();
  if (field?.matches("input:not([type=checkbox], [type=radio])")) field.select();
}

async function open(pen) {
  for (const form of all(FORM)) cancel(form, false);
  const cell = pen.closest(CELL);
  cell.ariaBusy = "true";
  const page = await ask(pen.href);
  cell.ariaBusy = null;
  replaceCell(cell, page);
}

function cancel(form, focus = true) {
  const cell = form.closest(CELL), previous = before.get(cell);
  if (!previous) return;
  cell.replaceWith(previous);
  if (focus) query(".pen", previous)?.focus();
}

async function save(form) {
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  const page = await ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  form.ariaBusy = null;
  if (!page) return;
  replaceCell(form.closest(CELL), page);
  if (!query(".cell-form", page)) renew();
  const toasts = all("#toasts > *", page);
  if (toasts.length) query("#toasts")?.replaceChildren(...toasts.map((toast) => document.importNode(toast, true)));
}

// Shows what else a saved fact changes on the page; the facts stay, since somebody may be in them.
function renew() {
  if (!query("#facts")) return;
  const refresh = document.createElement("lw-refresh");
  refresh.setAttribute("of", "#timeline");
  refresh.setAttribute("keep", "#facts");
  document.body.append(refresh);
  refresh.remove();
}

document.addEventListener("click", (event) => {
  const cell = event.target.closest("a, button, input, select, textarea, label") || getSelection().type === "Range" ? null : event.target.closest("dd.fact");
  const pen = event.target.closest(".pen") ?? (cell && query(":scope > .pen", cell));
  if (pen && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); open(pen); }
  const cancelling = event.target.closest("[data-cancel]");
  if (cancelling) cancel(cancelling.closest(".cell-form"));
});

document.addEventListener("dblclick", (event) => {
  const pen = event.target.closest("a, input, .cell-form") ? null : query(":scope > .pen", event.target.closest("td") ?? document);
  if (pen) open(pen);
});

// On the way down, since the form around the table keeps the event from going up.
document.addEventListener("submit", (event) => {
  if (!event.target.matches(FORM)) return;
  event.preventDefault();
  save(event.target);
}, true);

// Before the list hears of the keys, which are not its own in a form.
document.addEventListener("keydown", (event) => {
  // Arrows lead to the pens; as stops of Tab they would be hundreds, which they stay without script.
  if (event.key === "Tab") for (const pen of all("tr .pen:not([tabindex])")) pen.tabIndex = -1;
  const form = event.target.closest(FORM);
  if (form) {
    event.stopPropagation();
    const boxes = event.target.matches("select, [type=checkbox], [type=radio]");
    if (event.key === "Escape") { event.preventDefault(); cancel(form); }
    if (event.key === "Enter" && (boxes || (event.ctrlKey && event.target.matches("textarea")))) {
      event.preventDefault();
      form.requestSubmit();
    }
    return;
  }
  const row = event.target.closest("tr[data-row]");
  if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input")) return;
  const pens = all(".pen", row).filter((pen) => pen.checkVisibility());
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? (event.key === "e" && event.target === row ? 1 : 0);
  if (!step || !pens.length) return;
  event.preventDefault();
  event.stopPropagation();
  (pens[pens.indexOf(event.target) + step] ?? row).focus();
}, true);

// The parts of a record are tabs on a small screen: the address says which one is open.
function markTab() {
  const tabs = all(".record-tabs a");
  const open = tabs.find((tab) => tab.hash === location.hash) ?? tabs[0];
  for (const tab of tabs) tab[tab === open ? "setAttribute" : "removeAttribute"]("aria-current", "page");
}
window.addEventListener("hashchange", markTab);
markTab();
// Browsers give the focus to the part that the address names, and not to its field.
window.addEventListener("load", () => {
  if (location.hash === "#history") requestAnimationFrame(() => query("#history [autofocus]")?.focus());
});
