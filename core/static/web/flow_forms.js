// The forms of a workflow's steps, on pages of their own and beside the canvas. The scripts of the canvas share what
// stands in `lwFlow`: an import would have to know the names that collected files get.

const query = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Fields whose data-show-if is not met are hidden: {"name of an input": ["values with which it matters"]}. null and false
// stand for nothing, true for anything, as in `matches_condition` of core/web/flows/schemas.py.
function valuesOf(input) {
  const inputs = input instanceof RadioNodeList ? [...input] : [input];
  const checked = inputs.filter((field) => !["checkbox", "radio"].includes(field.type) || field.checked);
  return checked.map((field) => field.value).filter(Boolean);
}
function matchesCondition(values, accepted) {
  if (accepted === null || accepted === "" || typeof accepted === "boolean") return values.length > 0 === Boolean(accepted);
  return values.includes(String(accepted));
}
function fit(form) {
  for (const part of all("[data-show-if]", form)) {
    part.hidden = !Object.entries(JSON.parse(part.dataset.showIf)).every(([name, accepted]) => {
      const input = form.elements[name];
      return !input || accepted.some((value) => matchesCondition(valuesOf(input), value));
    });
  }
}
function fitAll() { for (const form of all("form#step-form")) fit(form); }
document.addEventListener("change", (event) => {
  const { form, name } = event.target;
  if (form?.id !== "step-form") return;
  fit(form);
  // Conditions offer the fields of the chosen kind of records: the service draws them again.
  if (query(`[data-depends-on="${CSS.escape(name)}"]`, form)) saveAndStay(form);
});
function saveAndStay(form) {
  const button = query("button[name=stay]", form);
  if (button) form.requestSubmit(button);
}

// What a step can't be without is created in another tab. Back here, the form is drawn with it, and with what was typed.
let waiting = null;
document.addEventListener("click", (event) => {
  const link = event.target.closest("#step-form a[target=_blank]");
  if (link) waiting = link.closest("form");
});
window.addEventListener("focus", () => {
  const form = waiting;
  waiting = null;
  if (form?.isConnected) saveAndStay(form);
});

// A value that is clicked goes into the text that was typed into last.
let typed = null;
document.addEventListener("focusin", (event) => {
  if (event.target.matches("#step-form :is(input[type=text], input:not([type]), textarea)")) typed = event.target;
});
document.addEventListener("click", (event) => {
  const value = event.target.closest("[data-insert]");
  if (!value) return;
  const field = typed?.isConnected ? typed : query("#step-form .part :is(input[type=text], textarea)");
  if (!field) return;
  const text = value.closest("details").dataset.plain ? value.dataset.insert : `{{ ${value.dataset.insert} }}`;
  field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
  field.focus();
});

// A search above a select hides the options that have not all of its words. The chosen option stays chosen.
const siftedBy = (search) => document.getElementById(search.dataset.sifts);
function filterOptions(search) {
  const select = siftedBy(search), terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const options = all("option", select);
  for (const option of options) {
    const text = `${option.textContent} ${option.dataset.keywords ?? ""}`.toLowerCase();
    option.hidden = !terms.every((word) => text.includes(word));
  }
  for (const group of all("optgroup", select)) group.hidden = all("option", group).every((option) => option.hidden);
  const visible = options.filter((option) => !option.hidden);
  select.size = terms.length ? Math.min(visible.length + 2, 9) : 0;
  query("[role=status]", search.parentElement).hidden = visible.length > 0;
  return visible;
}
function resetOptions(select) {
  const search = query(`[data-sifts="${select.id}"]`);
  if (!search?.value) return;
  search.value = "";
  filterOptions(search);
}
document.addEventListener("input", (event) => { if (event.target.dataset.sifts) filterOptions(event.target); });
document.addEventListener("keydown", (event) => {
  const { target, key } = event;
  if (target.matches("select[id]") && target.size > 1 && key === "Enter") { event.preventDefault(); resetOptions(target); }
  if (!target.dataset.sifts || !["Enter", "ArrowDown"].includes(key)) return;
  event.preventDefault();
  const select = siftedBy(target), [first] = filterOptions(target);
  if (first && target.value.trim()) {
    select.value = first.value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }
  if (key === "Enter" && first) resetOptions(select);
  select.focus();
});
document.addEventListener("click", (event) => {
  const select = event.target.closest("select[id]");
  if (select?.size > 1 && event.target.matches("option")) resetOptions(select);
});

window.lwFlow = { query, all, fit, fitAll };
fitAll();
