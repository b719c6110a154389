// Behaviour of the pages: custom elements, and one listener per event on the document, so that nothing has to be set up
// after a part of the page was replaced. Everything works without it, with fewer comforts.

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// A list: choosing rows by range, all of them, by keys. Which rows are chosen is in the check boxes alone.
class List extends HTMLElement {
  #last = null;

  connectedCallback() {
    this.addEventListener("change", (event) => this.#changed(event.target));
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("reset", () => setTimeout(() => this.#count()));
    this.addEventListener("keydown", (event) => this.#key(event));
    this.#count();
  }

  get boxes() { return all("tbody .pick input", this); }
  get rows() { return all("tbody tr[data-row]", this); }

  #changed(box) {
    if (box.matches("[data-pick-all], [data-pick-matching]")) {
      for (const other of this.boxes) other.checked = box.checked;
    } else if (box.matches(".pick input")) {
      const matching = one("[data-pick-matching]", this);
      if (matching && !box.checked) matching.checked = false;
    }
    this.#count();
  }

  #clicked(event) {
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
    const text = one("[data-picked]", this);
    if (!text) return;
    const matching = one("[data-pick-matching]", this);
    text.textContent = matching?.checked ? one(".bulk", this).dataset.total : all("tbody .pick input:checked", this).length;
  }

  // j, k and arrows walk, x chooses, Enter opens.
  #key(event) {
    const row = event.target.closest("tr[data-row]");
    if (!row || event.target.matches("input:not([type=checkbox])")) return;
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step) { event.preventDefault(); this.go(this.rows.indexOf(row) + step); }
    if (event.key === "x") one(".pick input", row)?.click();
    if (event.key === "Enter" && event.target === row) one("a", row)?.click();
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

// Says that what `selector` shows has changed: the part is asked for again.
class Refresh extends HTMLElement {
  connectedCallback() {
    const selector = this.getAttribute("of");
    if (one(selector)) window.htmx.ajax("GET", location.href, { target: selector, select: selector, swap: "outerMorph" });
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
      const form = one("form", this);
      form.elements.id.value = this.#moved.dataset.id;
      form.elements.after.value = this.#moved.previousElementSibling?.dataset.id ?? "";
      this.#moved = null;
      form.requestSubmit(one("button", form));
    });
  }
}

// A review: one key per deed (data-press), once per press, so that a key that is held down decides one message only.
class Review extends HTMLElement {
  #pressed = (event) => {
    if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || this.#done || one("dialog[open]")) return;
    if (event.target.matches("input, textarea, select")) return;
    const found = one(`[data-press="${CSS.escape(event.key.toLowerCase())}"]`, this);
    if (!found) return;
    event.preventDefault();
    this.#done = true;
    found.click();
  };
  #done = false;
  #back = () => { this.#done = false; };

  connectedCallback() {
    document.addEventListener("keydown", this.#pressed);
    window.addEventListener("pageshow", this.#back);
    one("[aria-current]", this)?.scrollIntoView({ block: "nearest" });
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#pressed);
    window.removeEventListener("pageshow", this.#back);
  }
}

customElements.define("lw-list", List);
customElements.define("lw-order", Order);
customElements.define("lw-review", Review);
customElements.define("lw-toast", Toast);
customElements.define("lw-refresh", Refresh);

export function toast(text) {
  const made = document.createElement("lw-toast");
  made.className = "toast bad";
  const line = document.createElement("p");
  line.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button quiet";
  close.dataset.close = "";
  close.textContent = "Close";
  made.append(line, close);
  one("#toasts")?.append(made);
}

// Copies the field that a button names; where the browser has no clipboard, the text is chosen instead.
async function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    (one("span", button) ?? button).textContent = "Copied";
  } catch { field.focus(); }
}

document.addEventListener("click", (event) => {
  const closing = event.target.closest("[data-close]");
  if (closing) (closing.closest("dialog")?.close ? closing.closest("dialog").close() : closing.closest("lw-toast")?.remove());
  const opening = event.target.closest("[data-dialog]");
  if (opening) document.getElementById(opening.dataset.dialog)?.showModal();
  const copying = event.target.closest("[data-copy]");
  if (copying) copy(copying);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), textarea, select")) return;
  if (event.key === "j" && !event.target.closest("tr[data-row]")) { one("lw-list")?.go(0); return; }
  const found = one(`[data-key="${CSS.escape(event.key)}"]`);
  if (!found) return;
  event.preventDefault();
  if (found.matches("input")) { found.focus(); found.select(); } else found.click();
});

const LOST = "The service does not answer. What you see may be out of date.";
const REFUSED = "That was refused. Load the page again to see why.";
document.addEventListener("htmx:error", (event) => { if (event.detail?.error?.name !== "AbortError") toast(LOST); });
document.addEventListener("htmx:response:error", (event) => {
  const status = event.detail?.ctx?.response?.status;
  if (status !== 422) toast(status >= 500 || status === 429 ? LOST : REFUSED); // a refused form says at its fields why
});
