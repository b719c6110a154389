// The email editor: each button posts the form, and the answer takes the place of the blocks. The design is text in the
// form, so that earlier states are kept here for undo.

const find = (selector, root = document) => root.querySelector(selector);
class Design extends HTMLElement {
  #states = [];
  #now = 0;
  #queue = Promise.resolve();

  connectedCallback() {
    this.form = find("form", this);
    for (const button of this.querySelectorAll("[data-undo], [data-redo]")) button.hidden = false;
    this.#states = [this.#state()];
    this.#ready();
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("change", ({ target }) => {
      if (target.matches("[name^=block-]")) this.#send("apply", target);
    });
    this.addEventListener("keydown", (event) => this.#pressed(event));
  }

  // What is pressed

  #clicked(event) {
    const button = event.target.closest("button");
    if (!button || !this.contains(button)) return;
    if (button.name === "op") { event.preventDefault(); this.#send(button.value, button); }
    if (button.matches("[data-undo]")) this.#again(-1);
    if (button.matches("[data-redo]")) this.#again(1);
    if (button.dataset.wrap) this.#wrap(button);
  }

  #pressed(event) {
    const { key, target } = event;
    const typing = target.matches("textarea, input:not([type=radio], [type=checkbox])");
    if ((event.ctrlKey || event.metaKey) && !typing && ["z", "y"].includes(key.toLowerCase())) {
      event.preventDefault();
      this.#again(event.shiftKey || key.toLowerCase() === "y" ? 1 : -1);
      return;
    }
    if (!target.matches(".design-block")) return;
    const blocks = [...this.querySelectorAll(".design-block")], here = blocks.indexOf(target);
    const by = key === "ArrowUp" ? -1 : Number(key === "ArrowDown");
    if (by && event.altKey) { event.preventDefault(); this.#chosen(target, by < 0 ? "up" : "down"); return; }
    if (by) { event.preventDefault(); blocks[here + by]?.focus(); }
    if (key === "Delete") { event.preventDefault(); this.#chosen(target, "remove"); }
  }

  // Chooses the block, unless it is, and does something to it.
  #chosen(block, operation) {
    if (block.hasAttribute("aria-current")) { this.#send(operation, block); return; }
    this.#send(block.value, block);
    this.#send(operation, block);
  }

  // Puts marks around the chosen words.
  #wrap(button) {
    const field = document.getElementById(button.dataset.for), { selectionStart: start, selectionEnd: end } = field;
    const text = field.value.slice(start, end) || button.textContent.trim(), { wrap } = button.dataset;
    const marked = wrap.startsWith("[") ? wrap.replace("[]", `[${text}]`) : wrap + text + wrap;
    field.focus();
    field.setRangeText(marked, start, end, "select");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // What is posted

  #state() {
    return { design: find("[name=design]", this).value, at: find("[name=at]", this).value };
  }

  // One after the other: each needs the design that the one before it made.
  #send(operation, source) { this.#queue = this.#queue.then(() => this.#post(operation, source)); }

  #again(by) {
    this.#queue = this.#queue.then(async () => {
      const state = this.#states[this.#now + by];
      if (!state) return;
      const data = new FormData();
      for (const name of ["csrfmiddlewaretoken", "name", "subject", "preheader", "contact", "version"]) {
        const value = new FormData(this.form).get(name);
        if (value !== null) data.set(name, value);
      }
      data.set("do", "edit");
      data.set("op", "load");
      data.set("design", state.design);
      data.set("at", state.at);
      const answer = await this.#fetch(data);
      if (!answer) return;
      this.#now += by;
      this.#replace(answer, find(by < 0 ? "[data-undo]" : "[data-redo]", this));
    });
  }

  async #post(operation, source) {
    const data = new FormData(this.form);
    data.set("do", "edit");
    data.set("op", operation);
    const answer = await this.#fetch(data);
    if (!answer) { this.#whole(operation); return; }
    if (operation === "apply") this.#refresh(answer); else this.#replace(answer, source, operation);
    const state = this.#state();
    if (state.design === this.#states[this.#now].design) { this.#states[this.#now] = state; this.#ready(); return; }
    this.#states = [...this.#states.slice(0, this.#now + 1), state];
    this.#now += 1;
    this.#ready();
  }

  async #fetch(data) {
    try {
      const response = await fetch(this.form.action, { method: "POST", body: data, headers: { "HX-Request": "true" } });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      return find("#design-editor", page);
    } catch { return null; }
  }

  // Without an answer of its own the form goes as it does without script, and shows what is wrong.
  #whole(operation) {
    const button = document.createElement("button");
    Object.assign(button, { name: "op", value: operation, hidden: true });
    this.form.append(button);
    this.form.requestSubmit(button);
  }

  // Takes the list and the design over, and leaves the fields alone that somebody types in.
  #refresh(answer) {
    if (find("[name=block-count]", this)) { this.#replace(answer, document.activeElement, "apply"); return; }
    // Lines stay as elements: one of them may be pressed at this moment.
    for (const line of answer.querySelectorAll(".design-block[id] .muted")) {
      const own = find(`#${CSS.escape(line.parentElement.id)} .muted`, this);
      if (own) own.textContent = line.textContent;
    }
    find("[name=design]", this).replaceWith(find("[name=design]", answer));
    this.#marked();
  }

  #replace(answer, source, operation = "") {
    const { id } = source ?? {};
    find("#design-editor", this).replaceWith(answer);
    this.#ready(); // first: a button that is disabled would lose the focus
    const current = find("[aria-current]", this);
    const inList = source?.matches(".design-block") || operation.startsWith("add") || operation === "remove";
    const next = (inList && current) || (id && document.getElementById(id)) || source;
    (next?.isConnected && !next.disabled ? next : current ?? find("[data-undo]", this))?.focus();
    this.#marked();
  }

  // Says that the form has changed: to the preview, and to the question before the page is left.
  #marked() {
    const area = find("[name=design]", this), { value } = area;
    area.defaultValue = "unsaved" in area.dataset ? "" : value;
    area.value = value;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #ready() {
    for (const marks of this.querySelectorAll(".design-marks")) marks.hidden = false;
    find("[data-undo]", this).disabled = this.#now === 0;
    find("[data-redo]", this).disabled = this.#now === this.#states.length - 1;
  }
}
customElements.define("lw-design", Design);
