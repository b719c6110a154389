// A form whose preview follows what is typed: its button with data-preview posts it into the frame. The frame is made
// anew each time, since what a frame goes on to would stand in the history of the page.
class Preview extends HTMLElement {
  #due = 0;
  #left = false;
  #lastField = null;

  connectedCallback() {
    this.#left = false;
    this.addEventListener("input", ({ target }) => {
      if (!target.matches("[data-find], [data-fallback]")) this.#soon(500);
    });
    // The Enter key would press the first button of the form, which saves.
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("[data-find]")) return;
      event.preventDefault();
      this.querySelector("button[value=find]").click();
    });
    // Fields go where the cursor was last, in the subject or in the text.
    this.addEventListener("focusout", ({ target }) => {
      if (target.matches("[name=subject], [name=body], [name^=block-]:not([type=radio])")) this.#lastField = target;
    });
    this.addEventListener("click", ({ target }) => this.#insert(target.closest("[data-insert]")));
    this.addEventListener("change", (event) => { if (event.target.matches("select")) this.#soon(0); });
    // A preview that is sent behind another button's submission would take its place.
    this.addEventListener("submit", (event) => { if (!event.submitter?.matches("[data-preview]")) this.#leave(); });
    this.#soon(0);
  }

  disconnectedCallback() { this.#leave(); }

  #leave() {
    clearTimeout(this.#due);
    this.#left = true;
  }

  #soon(delay) {
    clearTimeout(this.#due);
    if (!this.#left) this.#due = setTimeout(() => this.#show(), delay);
  }

  #insert(button) {
    const lastField = this.#lastField?.isConnected ? this.#lastField : null;
    const field = lastField ?? this.querySelector("[name=body], [name=block-text], [name=subject]");
    if (!button || !field) return;
    const fallback = this.querySelector("[data-fallback]")?.value.trim().replaceAll(/["{}]/g, "");
    const text = fallback ? button.dataset.insert.replace("}}", ` | default: "${fallback}"}}`) : button.dataset.insert;
    field.focus();
    field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #show() {
    const button = this.querySelector("[data-preview]"), frame = this.querySelector("iframe");
    if (!button || !this.isConnected) return;
    const fresh = frame.cloneNode();
    frame.replaceWith(fresh);
    fresh.hidden = false;
    button.form.requestSubmit(button);
  }
}
customElements.define("lw-preview", Preview);
