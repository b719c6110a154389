// Behaviour of the pages: custom elements, and one listener per event on the document, so that nothing has to be set up
// after a part of the page was replaced. Everything works without it, with fewer comforts.

const query = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// The server translates the texts (core/web/script_texts.py); other scripts read them by lwText, too.
const texts = JSON.parse(query("#script-texts")?.textContent ?? "{}");
const text = (key, values = {}) => (texts[key] ?? key).replace(/%(?:\((\w+)\)s|%)/g, (all, name) => (name ? values[name] : "%"));
window.lwText = text;

// A list: choosing rows by range, all of them, by keys. Which rows are chosen is in the check boxes alone.
class List extends HTMLElement {
  #last = null;

  connectedCallback() {
    this.addEventListener("change", (event) => this.#onChange(event.target));
    this.addEventListener("click", (event) => this.#onClick(event));
    this.addEventListener("reset", () => setTimeout(() => this.#count()));
    this.addEventListener("keydown", (event) => this.#onKey(event));
    this.#count();
  }

  get boxes() { return all("tbody .pick input", this); }
  get rows() { return all("tbody tr[data-row]", this); }

  #onChange(box) {
    if (box.matches("[data-pick-all], [data-pick-matching]")) {
      for (const other of this.boxes) other.checked = box.checked;
    } else if (box.matches(".pick input")) {
      const matching = query("[data-pick-matching]", this);
      if (matching && !box.checked) matching.checked = false;
    }
    this.#count();
  }

  #onClick(event) {
    const box = event.target.closest("tbody .pick input");
    if (!box) return;
    if (event.shiftKey && this.#last?.isConnected) {
      const boxes = this.boxes;
      const [from, to] = [boxes.indexOf(this.#last), boxes.indexOf(box)].sort((a, b) => a - b);
      for (const other of boxes.slice(from, to + 1)) other.checked = box.checked;
      this.#count();
    }
    this.#last = box;
  }

  #count() {
    const text = query("[data-picked]", this);
    if (!text) return;
    const matching = query("[data-pick-matching]", this);
    text.textContent = matching?.checked ? query(".bulk", this).dataset.total : all("tbody .pick input:checked", this).length;
  }

  // j, k and arrows walk, x chooses, Enter opens.
  #onKey(event) {
    const row = event.target.closest("tr[data-row]");
    if (!row || event.target.matches("input:not([type=checkbox])")) return;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); this.go(this.rows.indexOf(row) + step); }
    if (event.key === "x") query(".pick input", row)?.click();
    if (event.key === "Enter" && event.target === row) query("a", row)?.click();
  }

  go(index) {
    const rows = this.rows;
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))];
    if (!row) return;
    for (const other of all("tr[tabindex='0']", this)) other.tabIndex = -1;
    row.tabIndex = 0;
    row.focus();
    row.scrollIntoView({ block: "nearest" });
  }
}

// A toast: it goes by itself after a while, unless somebody is at it or it says what went wrong.
class Toast extends HTMLElement {
  connectedCallback() {
    if (this.classList.contains("bad") || this.hasAttribute("data-stays")) return;
    this.timer = setInterval(() => { if (!this.matches(":hover, :focus-within")) this.remove(); }, 10000);
  }

  disconnectedCallback() { clearInterval(this.timer); }
}

// Says that what `selector` shows has changed: the part is asked for again, and so are those with an id and data-fresh.
class Refresh extends HTMLElement {
  connectedCallback() {
    const selector = this.getAttribute("of");
    if (query(selector)) window.htmx.ajax("GET", location.href, { target: selector, select: selector, swap: "outerMorph" });
    const keep = this.getAttribute("keep");
    const parts = all("[data-fresh]").filter((part) => !part.closest(selector) && !(keep && part.matches(keep)));
    if (parts.length) this.#renew(parts);
  }

  async #renew(parts) {
    const answer = await fetch(location.href, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of parts) {
      const source = page.getElementById(part.id);
      // A fact stays as it is where nothing changed, or where somebody is in it.
      if (!source || !part.isConnected || part.isEqualNode(source)) continue;
      if (part.matches("dd.editing, dd[aria-busy], dd:focus-within")) continue;
      const copy = document.importNode(source, true);
      part.replaceWith(copy);
      window.htmx.process(copy);
    }
  }
}

// A list whose items are dragged to their place; its form tells which one, and behind which other one.
class Order extends HTMLElement {
  #moved = null;

  connectedCallback() {
    const item = (event) => event.target.closest?.("li[data-id]");
    this.addEventListener("dragstart", (event) => { this.#moved = item(event); });
    this.addEventListener("dragover", (event) => {
      const over = item(event);
      if (!this.#moved || !over) return;
      event.preventDefault();
      const { top, height } = over.getBoundingClientRect();
      if (over !== this.#moved) over[event.clientY < top + height / 2 ? "before" : "after"](this.#moved);
    });
    this.addEventListener("drop", (event) => event.preventDefault());
    this.addEventListener("dragend", () => {
      const form = query("form", this);
      form.elements.id.value = this.#moved.dataset.id;
      form.elements.after.value = this.#moved.previousElementSibling?.dataset.id ?? "";
      this.#moved = null;
      form.requestSubmit(query("button", form));
    });
  }
}

// A review: one key per deed (data-press), once per press, so that a key that is held down decides one message only.
class Review extends HTMLElement {
  #pressed = (event) => {
    if (event.repeat || event.altKey || event.isComposing || this.#done || query("dialog[open]")) return;
    const button = this.#button(event);
    if (!button) return;
    event.preventDefault();
    this.#done = event.key !== "Escape"; // the way out may ask, and stay
    button.click();
  };

  #button(event) {
    const form = query("form.form", this);
    if (event.ctrlKey || event.metaKey) return event.key === "Enter" ? query(form ? ".form .primary" : ".decide .primary", this) : null;
    if (event.key === "Escape") return form && query(".form-end a", form);
    if (event.target.matches("input, textarea, select")) return null;
    return query(`[data-press="${CSS.escape(event.key.toLowerCase())}"]`, this);
  }

  #done = false;
  #back = () => { this.#done = false; };

  connectedCallback() {
    document.addEventListener("keydown", this.#pressed);
    window.addEventListener("pageshow", this.#back);
    query("[aria-current]", this)?.scrollIntoView({ block: "nearest" });
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#pressed);
    window.removeEventListener("pageshow", this.#back);
  }
}

// What was said: the newest is in view, and stays so while one looks at it.
class Thread extends HTMLElement {
  connectedCallback() {
    const down = () => { this.scrollTop = this.scrollHeight; };
    const isNearEnd = () => this.scrollHeight - this.scrollTop - this.clientHeight < 80;
    let isAtEnd = true;
    down();
    this.addEventListener("scroll", () => { isAtEnd = isNearEnd(); });
    new MutationObserver(() => { if (isAtEnd) down(); }).observe(this, { childList: true, subtree: true });
  }
}

// The search over everything: arrows choose among what was found, Enter opens it, the field keeps the focus.
class Palette extends HTMLElement {
  #at = 0;
  #awaited = false;

  connectedCallback() {
    this.addEventListener("keydown", (event) => this.#onKey(event));
    this.addEventListener("input", () => { this.#at = 0; this.#awaited = false; });
    // htmx gives a new option the attributes of the old one for a moment, and then takes them back.
    const watched = { childList: true, subtree: true, attributeFilter: ["aria-selected"] };
    new MutationObserver(() => this.#onResults()).observe(this, watched);
    this.#mark();
  }

  get field() { return query("input", this); }
  get options() { return all("[role=option]", this); }
  get fresh() { return query("[data-q]", this)?.dataset.q === this.field.value.trim().replace(/\s+/g, " ").slice(0, 200); }

  #mark() {
    const options = this.options;
    this.#at = Math.max(0, Math.min(this.#at, options.length - 1));
    for (const [index, option] of options.entries()) {
      const selected = String(index === this.#at);
      if (option.getAttribute("aria-selected") !== selected) option.setAttribute("aria-selected", selected);
    }
    const option = options[this.#at];
    if (option) this.field.setAttribute("aria-activedescendant", option.id);
    else this.field.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  #onResults() {
    this.#mark();
    if (this.#awaited && this.fresh) this.options[this.#at]?.click();
  }

  #onKey(event) {
    if (event.target !== this.field) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); this.#at += step; this.#mark(); }
    if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      if (this.fresh) this.options[this.#at]?.click();
      else this.#awaited = true; // the answer is on its way
    }
  }
}

// A search among the fields of the filter menu: arrows walk, Enter opens the first one that matches.
class Find extends HTMLElement {
  connectedCallback() {
    const field = document.createElement("input");
    field.type = "search";
    field.autofocus = true;
    field.placeholder = this.dataset.label;
    field.setAttribute("aria-label", this.dataset.label);
    this.replaceChildren(field);
    if (this.parentElement.matches(":popover-open")) field.focus(); // opened before the script was there
    field.addEventListener("input", (event) => {
      event.stopPropagation();
      for (const entry of this.entries) entry.hidden = !entry.firstElementChild.textContent.toLowerCase().includes(field.value.trim().toLowerCase());
    });
    this.parentElement.addEventListener("keydown", (event) => this.#onKey(event, field));
  }

  get entries() { return all(":scope > details", this.parentElement); }

  #onKey(event, field) {
    const names = this.entries.filter((entry) => !entry.hidden).map((entry) => entry.firstElementChild);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], at = names.indexOf(event.target);
    if (event.target !== field && at < 0) return;
    if (step) { event.preventDefault(); (names[at + step] ?? field).focus(); }
    if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      if (names[0]) { names[0].parentElement.open = true; names[0].focus(); }
    }
  }
}

customElements.define("lw-find", Find);
customElements.define("lw-list", List);
customElements.define("lw-palette", Palette);
customElements.define("lw-order", Order);
customElements.define("lw-review", Review);
customElements.define("lw-thread", Thread);
customElements.define("lw-toast", Toast);
customElements.define("lw-refresh", Refresh);

function toast(message) {
  const element = document.createElement("lw-toast");
  element.className = "toast bad";
  const line = document.createElement("p");
  line.textContent = message;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet";
  close.dataset.close = "";
  close.textContent = text("close");
  element.append(line, close);
  query("#toasts")?.append(element);
}

// What other scripts have to tell.
document.addEventListener("toast", (event) => toast(event.detail));

// Copies the field that a button names; where the browser has no clipboard, the text is chosen instead.
async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    (query("span", button) ?? button).textContent = text("copied");
  } catch { field.focus(); }
}

// Opens a question, with the focus where Enter does no harm.
function ask(box) {
  box?.showModal();
  if (box) query(".form-end [data-close]", box)?.focus();
}

// Opens the palette; on the page of the search that is its field.
function search() {
  const box = query("#palette");
  if (box && !box.open) box.showModal();
  const field = query("lw-palette input", box ?? document);
  field?.focus();
  field?.select();
  if (box) field.dispatchEvent(new Event("palette"));
}

// Shows the keys over the page, as their own page has them.
function showKeys() {
  const box = query("#keys");
  if (!box || box.open) return;
  box.showModal();
  window.htmx.ajax("GET", query("[data-keys]").href, { target: "#keys-body", select: "#keys-list", swap: "innerHTML" });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-palette], [data-keys]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    link.closest("[popover]")?.hidePopover();
    if (link.matches("[data-palette]")) search();
    else showKeys();
  }
  const closing = event.target.closest("[data-close]");
  if (closing) (closing.closest("dialog")?.close ? closing.closest("dialog").close() : closing.closest("lw-toast")?.remove());
  const opening = event.target.closest("[data-dialog]");
  if (opening) ask(document.getElementById(opening.dataset.dialog));
  const copying = event.target.closest("[data-copy]");
  if (copying) copy(copying);
});

const TYPED = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
let prefixTime = 0; // when g was pressed, which waits for a second key

// Ctrl and Enter send what is written; Enter alone does where a form says so, and Shift and Enter begin a new line.
document.addEventListener("keydown", (event) => {
  const form = event.key === "Enter" && !event.isComposing && event.target.closest(".write");
  const plain = form && "enter" in form.dataset && !event.shiftKey && event.target.matches("textarea");
  if (!form || !(event.ctrlKey || event.metaKey || plain)) return;
  event.preventDefault();
  form.requestSubmit(query(".primary", form));
});

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    if (query("dialog[open]:not(#palette)")) return;
    event.preventDefault();
    search();
    return;
  }
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.matches(TYPED)) return;
  if (query("dialog[open]")) return;
  const isPrefixed = event.timeStamp - prefixTime < 1500 && prefixTime > 0;
  prefixTime = 0;
  if (isPrefixed) {
    const place = query(`.side [data-go="${CSS.escape(event.key)}"]`);
    if (place) { event.preventDefault(); place.click(); return; }
  }
  if (event.key === "g") { prefixTime = event.timeStamp; return; }
  if (event.key === "?") { event.preventDefault(); showKeys(); return; }
  if (event.key === "j" && query("lw-list") && !event.target.closest("tr[data-row]")) { query("lw-list").go(0); return; }
  const target = query(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target && event.key === "/") { event.preventDefault(); search(); return; }
  if (!target) return;
  event.preventDefault();
  if (target.matches("input, textarea")) { target.focus(); target.select(); } else target.click();
});

if (navigator.platform.startsWith("Mac")) for (const key of all(".find kbd")) key.textContent = "⌘ K";

// A role's row of permissions: nobody adds or changes what they may not see.
document.addEventListener("change", ({ target }) => {
  const boxes = target.matches(".matrix [name=flags]") ? all("[name=flags]", target.closest("tr")) : [];
  const [see, ...others] = boxes;
  if (target === see && !see.checked) for (const box of others) box.checked = false;
  else if (target.checked && see) see.checked = true;
});

// What another page tells of itself is no title of this one.
document.addEventListener("htmx:before:swap", ({ detail: { ctx } }) => {
  if (ctx && new URL(ctx.request.action, location.href).pathname !== location.pathname) ctx.title = "";
});

const failed = (response) => {
  if ([429, 502, 503, 504].includes(response.status)) return text("lost");
  return text("failed", { number: response.headers?.get("X-Request-ID") ?? response.status });
};
document.addEventListener("htmx:error", (event) => { if (event.detail?.error?.name !== "AbortError") toast(text("lost")); });
document.addEventListener("htmx:response:error", (event) => {
  const response = event.detail?.ctx?.response ?? {};
  if (response.status === 422) return; // a refused form says at its fields why
  toast(response.status >= 500 || response.status === 429 ? failed(response) : text("refused"));
});

// A part with data-with="name" is hidden while that field of its form is empty.
function fitParts() {
  for (const part of document.querySelectorAll("[data-with]")) part.hidden = !part.closest("form").elements[part.dataset.with]?.value;
}
document.addEventListener("change", fitParts);
fitParts();
