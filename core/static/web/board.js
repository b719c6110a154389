// A board or a calendar: cards (data-card, their id) are taken along by mouse, by a finger on their grip, or moved by a menu,
// to places (data-place, the value). Each move posts the form #move, whose field data-field takes the value; its other fields
// take what the card's data say. A place with data-asks opens the form #ask first. What the page answers gives the parts with
// data-fresh and the toast, and a refusal puts the card back.

const query = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const FAR = 6; // px that a pointer moves before it takes a card along
const EDGE = 48; // px at the sides of the board that make it scroll

class Board extends HTMLElement {
  #drag = null;
  #moved = false;

  connectedCallback() {
    this.addEventListener("pointerdown", (event) => this.#pickUp(event));
    this.addEventListener("pointermove", (event) => this.#dragMove(event));
    this.addEventListener("pointerup", (event) => this.#drop(event));
    this.addEventListener("pointercancel", () => this.#end());
    this.addEventListener("dragstart", (event) => event.preventDefault());
    this.addEventListener("keydown", (event) => { if (event.key === "Escape") this.#end(); });
    this.addEventListener("click", (event) => this.#onClick(event), true);
    this.addEventListener("submit", (event) => this.#onSubmit(event));
  }

  disconnectedCallback() { this.#end(); }

  get form() { return query("#move", this); }

  #pickUp(event) {
    const card = event.target.closest("[data-place] [data-card]");
    const canDrag = event.pointerType === "mouse" ? event.button === 0 : event.target.closest(".grip");
    this.#moved = false;
    if (!card || !canDrag || !this.form || event.target.closest("[data-move]")) return;
    if (event.pointerType !== "mouse") event.preventDefault();
    this.#drag = { card, id: event.pointerId, x: event.clientX, y: event.clientY };
  }

  #dragMove(event) {
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
    const board = query(".board", this) ?? this, sides = board.getBoundingClientRect();
    if (event.clientX > sides.right - EDGE) board.scrollLeft += 12;
    if (event.clientX < sides.left + EDGE) board.scrollLeft -= 12;
    const target = this.#placeAt(event);
    for (const place of all("[data-place]", this)) place.classList.toggle("over", place === target);
  }

  #placeAt(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-place]");
  }

  #drop(event) {
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const place = drag.ghost && this.#placeAt(event);
    this.#end();
    if (!place || place === drag.card.closest("[data-place]")) return;
    // Afterwards, since the end of the drag would close what it opens.
    if ("asks" in place.dataset) setTimeout(() => this.#ask(drag.card, place.dataset.place));
    else this.#move(drag.card, place.dataset.place);
  }

  #end() {
    const drag = this.#drag;
    this.#drag = null;
    drag?.ghost?.remove();
    drag?.card.classList.remove("taken");
    for (const place of all("[data-place].over", this)) place.classList.remove("over");
  }

  #onClick(event) {
    const dragged = this.#moved && event.detail > 0; // a key's click has no detail
    this.#moved = false;
    if (dragged) { event.preventDefault(); event.stopPropagation(); return; }
    const opener = event.target.closest("[data-move]");
    if (!opener || !this.form || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const currentPlace = opener.closest("[data-place]")?.dataset.place;
    this.#open(opener.closest("[data-card]"), opener, (value) => value !== currentPlace);
  }

  // Opens the form with the buttons of some places, at its first input.
  #open(card, source, offers) {
    this.form.reset();
    this.#fill(card);
    for (const button of all("button[value]", this.form)) button.disabled = !offers(button.value);
    this.form.showPopover({ source });
    query("input:not([type=hidden]), button:enabled", this.form)?.focus();
  }

  // Asks for more before the move, such as the reason for a loss.
  #ask(card, place) {
    const form = query("#ask", this);
    form.reset();
    form.elements.id.value = card.dataset.card;
    form.elements[this.form.dataset.field].value = place;
    query("[data-card-name]", form).textContent = query(".name", card).textContent.trim();
    form.showPopover({ source: query("[data-move]", card) ?? card });
    query("select", form).focus();
  }

  // Tells the form which card it is about.
  #fill(card) {
    this.form.elements.id.value = card.dataset.card;
    for (const [name, value] of Object.entries(card.dataset)) {
      if (this.form.elements[name]?.value !== undefined) this.form.elements[name].value = value;
    }
  }

  #onSubmit(event) {
    const form = event.target;
    if (!form.matches("#move, #ask") || !event.submitter) return;
    event.preventDefault();
    form.hidePopover();
    const card = query(`[data-card="${form.elements.id.value}"]`, this);
    const value = event.submitter.value || form.elements[this.form.dataset.field].value;
    if (card && form === this.form && query(`[data-place="${CSS.escape(value)}"][data-asks]`, this)) this.#ask(card, value);
    else if (card) this.#move(card, value, form);
  }

  async #move(card, value, form = this.form) {
    const [list, next] = [card.parentElement, card.nextElementSibling];
    const place = query(`[data-place="${CSS.escape(value)}"]`, this);
    if (place) (query(".cards", place) ?? place).prepend(card);
    this.#fill(card);
    const body = new URLSearchParams(new FormData(form));
    body.set(this.form.dataset.field, value);
    let page = null;
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } });
      if (answer.ok) page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch { /* told below */ }
    if (!page || query(".toast.bad", page)) list.insertBefore(card, next?.parentElement === list ? next : null);
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    for (const part of all("[data-fresh]", this)) {
      const counterpart = page.getElementById(part.id);
      if (counterpart) part.replaceWith(document.importNode(counterpart, true));
    }
    query("#toasts")?.replaceChildren(...all("#toasts > *", page).map((toast) => document.importNode(toast, true)));
    all(`[data-move="${card.dataset.card}"]`, this).find((opener) => opener.checkVisibility())?.focus();
  }
}

customElements.define("lw-board", Board);
