// A board: cards are taken along by mouse, by a finger on their grip, or moved by a menu. Each move posts the board's own
// form; what the page answers gives the heads of the columns and the toast, and a refusal puts the card back.

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const FAR = 6; // px that a pointer moves before it takes a card along
const EDGE = 48; // px at the sides of the board that make it scroll

class Board extends HTMLElement {
  #drag = null;
  #moved = false;

  connectedCallback() {
    this.addEventListener("pointerdown", (event) => this.#take(event));
    this.addEventListener("pointermove", (event) => this.#carry(event));
    this.addEventListener("pointerup", (event) => this.#drop(event));
    this.addEventListener("pointercancel", () => this.#end());
    this.addEventListener("dragstart", (event) => event.preventDefault());
    this.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#end(); });
    this.addEventListener("click", (event) => this.#clicked(event), true);
    this.addEventListener("submit", (event) => this.#chosen(event));
  }

  disconnectedCallback() { this.#end(); }

  get form() { return one("#move", this); }

  #take(event) {
    const card = event.target.closest("[data-lead]");
    const held = event.pointerType === "mouse" ? event.button === 0 : event.target.closest(".grip");
    this.#moved = false;
    if (!card || !held || !this.form || event.target.closest("[data-move]")) return;
    if (event.pointerType !== "mouse") event.preventDefault();
    this.#drag = { card, id: event.pointerId, x: event.clientX, y: event.clientY };
  }

  #carry(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.ghost) {
      if (Math.hypot(x, y) < FAR) return;
      this.setPointerCapture(drag.id);
      const box = drag.card.getBoundingClientRect();
      drag.ghost = drag.card.cloneNode(true);
      drag.ghost.classList.add("ghost");
      Object.assign(drag.ghost.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px` });
      this.append(drag.ghost);
      drag.card.classList.add("taken");
      this.#moved = true;
    }
    drag.ghost.style.translate = `${x}px ${y}px`;
    const board = one(".board", this), sides = board.getBoundingClientRect();
    if (event.clientX > sides.right - EDGE) board.scrollLeft += 12;
    if (event.clientX < sides.left + EDGE) board.scrollLeft -= 12;
    const over = this.#columnAt(event);
    for (const column of all(".column", this)) column.classList.toggle("over", column === over);
  }

  #columnAt(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest(".column");
  }

  #drop(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const column = drag.ghost && this.#columnAt(event);
    this.#end();
    if (column && column !== drag.card.closest(".column")) this.#move(drag.card, column);
  }

  #end() {
    const drag = this.#drag;
    this.#drag = null;
    drag?.ghost?.remove();
    drag?.card.classList.remove("taken");
    for (const column of all(".column.over", this)) column.classList.remove("over");
  }

  #clicked(event) {
    if (this.#moved) { event.preventDefault(); event.stopPropagation(); this.#moved = false; return; }
    const opener = event.target.closest("[data-move]");
    if (!opener || !this.form || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const here = opener.closest(".column").dataset.status;
    this.form.elements.id.value = opener.dataset.move;
    for (const button of all("button[name=status]", this.form)) button.disabled = button.value === here;
    this.form.showPopover({ source: opener });
    one("button:enabled", this.form)?.focus();
  }

  #chosen(event) {
    if (event.target !== this.form || !event.submitter) return;
    event.preventDefault();
    this.form.hidePopover();
    const card = one(`[data-lead="${this.form.elements.id.value}"]`, this);
    const column = all(".column", this).find((found) => found.dataset.status === event.submitter.value);
    if (card && column) this.#move(card, column);
  }

  async #move(card, column) {
    const [list, next] = [card.parentElement, card.nextElementSibling];
    one(".cards", column).prepend(card);
    const body = new URLSearchParams(new FormData(this.form));
    body.set("id", card.dataset.lead);
    body.set("status", column.dataset.status);
    let page = null;
    try {
      const answer = await fetch(this.form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
      if (answer.ok) page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { /* told below */ }
    if (!page || one(".toast.bad", page)) list.insertBefore(card, next?.parentElement === list ? next : null);
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    for (const head of all(".column-head", this)) {
      const same = one(`.column-head:has(#${one("h2", head).id})`, page);
      if (same) head.replaceWith(document.importNode(same, true));
    }
    one("#toasts")?.replaceChildren(...all("#toasts > *", page).map((found) => document.importNode(found, true)));
    one("[data-move]", card)?.focus();
  }
}

customElements.define("lw-board", Board);
