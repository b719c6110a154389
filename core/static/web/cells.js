// Values of a table, changed at their place: a pen, a double click or Enter on a pen opens the form of the cell, which the
// value's own small page has; Esc gives the value back. Arrows walk from pen to pen of a row, e goes to the first one.

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
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
function put(cell, page) {
  const found = page && one("td", page);
  if (!found || !cell.isConnected) return;
  const made = document.importNode(found, true);
  made.classList.add(...cell.classList);
  const form = one(".cell-form", made);
  made.classList.toggle("editing", Boolean(form));
  if (form) before.set(made, before.get(cell) ?? cell);
  cell.replaceWith(made);
  const field = form ? one("[aria-invalid]", form) ?? one(FIELDS, form) ?? form : one(".pen", made);
  field?.focus();
  if (field?.matches("input:not([type=checkbox], [type=radio])")) field.select();
}

async function open(pen) {
  for (const form of all("td .cell-form")) cancel(form, false);
  const cell = pen.closest("td");
  cell.ariaBusy = "true";
  const page = await ask(pen.href);
  cell.ariaBusy = null;
  put(cell, page);
}

function cancel(form, focus = true) {
  const cell = form.closest("td"), was = before.get(cell);
  if (!was) return;
  cell.replaceWith(was);
  if (focus) one(".pen", was)?.focus();
}

async function save(form) {
  if (form.ariaBusy) return;
  form.ariaBusy = "true";
  const page = await ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
  form.ariaBusy = null;
  if (!page) return;
  put(form.closest("td"), page);
  const toasts = all("#toasts > *", page);
  if (toasts.length) one("#toasts")?.replaceChildren(...toasts.map((found) => document.importNode(found, true)));
}

document.addEventListener("click", (event) => {
  const pen = event.target.closest(".pen");
  if (pen && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); open(pen); }
  const cancelling = event.target.closest("[data-cancel]");
  if (cancelling) cancel(cancelling.closest(".cell-form"));
});

document.addEventListener("dblclick", (event) => {
  const pen = event.target.closest("a, input, .cell-form") ? null : one(":scope > .pen", event.target.closest("td") ?? document);
  if (pen) open(pen);
});

// On the way down, since the form around the table keeps the event from going up.
document.addEventListener("submit", (event) => {
  if (!event.target.matches("td .cell-form")) return;
  event.preventDefault();
  save(event.target);
}, true);

// Before the list hears of the keys, which are not its own in a form.
document.addEventListener("keydown", (event) => {
  const form = event.target.closest("td .cell-form");
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
