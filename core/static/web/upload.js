// A form with files: dropping, and a bar while they go up (fetch tells no progress). Without it the form posts by itself.
class Upload extends HTMLElement {
  connectedCallback() {
    this.addEventListener("change", (event) => { if (event.target.type === "file") this.#name(); });
    this.addEventListener("submit", (event) => this.#send(event));
    this.addEventListener("dragover", (event) => { event.preventDefault(); this.classList.add("over"); });
    this.addEventListener("dragleave", () => this.classList.remove("over"));
    this.addEventListener("drop", (event) => this.#drop(event));
  }

  get input() { return this.querySelector("input[type=file]"); }

  #name() {
    const files = [...this.input.files];
    if (files.length) this.querySelector("[data-chosen]").textContent = files.map((file) => file.name).join(", ");
  }

  #drop(event) {
    event.preventDefault();
    this.classList.remove("over");
    if (!this.input || !event.dataTransfer.files.length) return;
    this.input.files = event.dataTransfer.files;
    this.#name();
  }

  #send(event) {
    if (!this.input?.files.length) return;
    event.preventDefault();
    const bar = this.querySelector(".upload-bar");
    const [progress, text] = bar.children;
    const request = new XMLHttpRequest();
    const showProgress = (share) => {
      progress.value = share;
      text.textContent = share < 100 ? window.lwText("uploading", { percent: share }) : window.lwText("uploaded");
    };
    request.upload.addEventListener("progress", (progress) => {
      if (progress.lengthComputable) showProgress(Math.floor((progress.loaded / progress.total) * 100));
    });
    request.addEventListener("load", () => {
      if (request.status < 400) { location.assign(request.responseURL); return; }
      const answer = new DOMParser().parseFromString(request.responseText, "text/html").getElementById(this.id);
      if (answer) { this.replaceChildren(...answer.childNodes); this.querySelector("[autofocus]")?.focus(); } else location.reload();
    });
    request.addEventListener("error", () => { progress.value = 0; text.textContent = window.lwText("upload_failed"); button.disabled = false; });
    const button = event.submitter ?? this.querySelector("button");
    const form = event.target;
    const body = new FormData(form, button);
    button.disabled = true;
    bar.hidden = false;
    showProgress(0);
    request.open("POST", form.action);
    request.send(body);
  }
}

customElements.define("lw-upload", Upload);
