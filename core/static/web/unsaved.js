// Typed text is not lost without a question: links, htmx, other forms and Back ask first, and closing the tab makes the browser ask.

const query = (selector, root = document) => root.querySelector(selector);
const FORMS = "form[method=post]:is(.form, .start, .matrix-form, .columns-form, .write, .mend, .cell-form)";
const UNTYPED = new Set(["hidden", "submit", "button", "reset", "file", "image"]);
const touched = new WeakSet(); // forms that somebody typed in since they were sent
const submitted = new WeakSet();
let leaving = false;
let returning = false; // on the way forward again, after Back

function changed(field) {
  if (!field.name || field.disabled || UNTYPED.has(field.type)) return false;
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (!field.options) return field.value !== field.defaultValue;
  const options = [...field.options];
  const before = options.some((option) => option.defaultSelected) ? (option) => option.defaultSelected : (option) => option === options[0];
  return options.some((option) => option.selected !== before(option));
}

// A refused form comes back with what was typed, which is saved nowhere.
function isUnsaved(form) {
  if (submitted.has(form)) return false;
  const invalid = query(form.matches(".cell-form") ? ".summary, .trouble" : ".summary", form);
  return Boolean(invalid) || (touched.has(form) && [...form.elements].some(changed));
}

const unsaved = (root = document) => [...root.querySelectorAll(FORMS)].filter(isUnsaved);

function markSaved(forms) {
  for (const form of forms) { touched.delete(form); submitted.add(form); }
}

// Asks with the dialog of the page; the focus is where Enter does no harm.
function ask(forms, leave, stay = () => {}) {
  const box = query("#unsaved");
  if (!box || box.open) return;
  box.returnValue = "";
  box.addEventListener("close", () => {
    if (box.returnValue !== "leave") { stay(); return; }
    markSaved(forms);
    leave();
  }, { once: true });
  box.showModal();
}

// For parts of pages that scripts replace, such as the panel of the canvas.
window.lwUnsaved = { unsaved, ask };

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target }) => {
    const form = target.form ?? target.closest?.("form");
    if (!form?.matches(FORMS)) return;
    touched.add(form);
    submitted.delete(form);
  });
}

const isPlain = (event) => event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

function askBeforeLeaving(event, forms, leave) {
  if (!forms.length || !query("#unsaved")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(forms, leave);
}

// A part of the page that htmx puts in the place of a form; the form's own buttons keep what was typed.
document.addEventListener("click", (event) => {
  const source = isPlain(event) && event.target.closest("[hx-get][hx-target]");
  const place = source && query(source.getAttribute("hx-target"));
  if (place) askBeforeLeaving(event, unsaved(place).filter((form) => !form.contains(source)), () => source.click());
}, true);

// Links that no script has taken by then.
window.addEventListener("click", (event) => {
  const link = isPlain(event) && !event.defaultPrevented && event.target.closest("a[href]:not([target], [download])");
  if (!link || !link.protocol.startsWith("http")) return;
  const isHere = link.hash && link.pathname + link.search === location.pathname + location.search;
  if (!isHere) askBeforeLeaving(event, unsaved(), () => link.click());
});

window.addEventListener("submit", (event) => {
  const form = event.target, button = event.submitter;
  if (button?.formTarget) return; // into a frame, such as a preview: the page stays
  if (!event.defaultPrevented && form.method !== "dialog") {
    askBeforeLeaving(event, unsaved().filter((other) => other !== form), () => form.requestSubmit(button));
    if (event.defaultPrevented) return;
  }
  markSaved([form]);
});

// Back within pages of htmx: the address has changed already, the page has not.
document.addEventListener("htmx:before:history:restore", (event) => {
  const forms = unsaved();
  if (!forms.length) { returning = false; return; }
  event.preventDefault();
  if (returning) { returning = false; return; }
  ask(forms, () => { leaving = true; location.reload(); }, () => { returning = true; history.forward(); });
});

window.addEventListener("beforeunload", (event) => { if (!leaving && unsaved().length) event.preventDefault(); });
window.addEventListener("pageshow", () => { leaving = false; });
