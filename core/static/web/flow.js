// The canvas of a graph, such as a workflow: steps that are placed, connected and edited by mouse, by touch and by keys alone. It draws
// what the page gives as JSON (flow_canvas.js), and saves what was drawn through the page (flow_changes.js); the nested
// list beside it does all of it too.

const { one, all, made, SVG, WIDE, HIGH, fitAll, FlowChanges } = window.lwFlow;
const STEP = 20;
const LIVE = 2000; // ms between two looks at the runs
const ALL = 0.25; // the least size at which all of it is shown
const FAR = 5; // px that a pointer moves before it drags

class Flow extends FlowChanges {
  connectedCallback() {
    fitAll();
    this.stage = one(".flow-stage", this);
    this.side = one(".flow-side", this);
    const data = one("#flow-data");
    if (!this.stage || !data) return;
    this._take(JSON.parse(data.textContent));
    this.stage.hidden = false;
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute("aria-label", this.dataset.label);
    this.world = made("div", "flow-world");
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.classList.add("flow-edges");
    this.lines.setAttribute("aria-hidden", "true");
    this.world.append(this.lines);
    this.stage.append(this.world);
    this._tools();
    this._listen();
    this._draw();
    this._fit();
    if (this.dataset.live) this.watch = setInterval(() => { if (document.visibilityState === "visible") this._look(); }, LIVE);
    // A drawing that comes into sight only now is placed now.
    this.sized = new ResizeObserver(() => { if (!this.placed && this.stage.clientWidth) this._fit(); });
    this.sized.observe(this.stage);
  }

  disconnectedCallback() {
    clearInterval(this.watch);
    this.sized?.disconnect();
  }

  // What is pressed

  _tools() {
    const deeds = {
      add: () => this._add(this._at || this._first?.id),
      undo: () => this._again(this._before, this._after),
      redo: () => this._again(this._after, this._before),
      tidy: () => this._tidy(),
      fit: () => this._fit(ALL),
      help: () => this._help(),
    };
    for (const button of all("[data-tool]", this)) button.addEventListener("click", deeds[button.dataset.tool]);
  }

  _help() { one("#flow-keys", this).showModal(); }

  _listen() {
    const { stage } = this;
    stage.addEventListener("pointerdown", (event) => this._down(event));
    stage.addEventListener("pointermove", (event) => this._carry(event));
    stage.addEventListener("pointerup", (event) => this._up(event));
    stage.addEventListener("pointercancel", (event) => this._end(event));
    stage.addEventListener("click", (event) => {
      const port = event.target.closest(".flow-port");
      if (port) this._add(port.dataset.node, port.dataset.handle);
    });
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = stage.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) { this._zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.left, y: event.clientY - box.top }); return; }
      this._view.x -= event.deltaX;
      this._view.y -= event.deltaY;
      this._move();
    }, { passive: false });
    stage.addEventListener("focusin", (event) => {
      const box = event.target.closest(".flow-node");
      if (box && box.dataset.id !== this._at && !this._drag) this._choose(box.dataset.id);
    });
    stage.addEventListener("keydown", (event) => this._key(event));
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !this.side.hidden && this.side.contains(event.target)) { event.preventDefault(); this._leave(); }
    });
    this.side.addEventListener("submit", (event) => this._submit(event));
    this.side.addEventListener("click", (event) => { if (event.target.closest("[data-leave]")) { event.preventDefault(); this._leave(); } });
    this.addEventListener("click", (event) => {
      const type = event.target.closest(".flow-palette .flow-type");
      if (type) this._added(type);
      const link = event.target.closest("#problems a, [data-beside], .flow-side a[data-node]");
      if (link && this.stage.clientWidth && !event.ctrlKey && !event.metaKey) {
        const { node, beside } = link.dataset;
        if (beside !== undefined || new URL(link.href).pathname === this._graph.step) {
          event.preventDefault();
          this._edit(beside !== undefined ? this._at : node || this._first?.id, link.href);
        }
      }
    });
    const palette = one("#flow-palette", this);
    palette.addEventListener("input", (event) => this._sift(event.target.value));
    palette.addEventListener("keydown", (event) => {
      const types = all(".flow-type", palette).filter((type) => !type.hidden), here = types.indexOf(document.activeElement);
      if (event.key === "Enter" && here < 0 && types.length) {
        event.preventDefault();
        const wanted = event.target.value.trim().toLowerCase();
        const named = types.find((type) => one("b", type).textContent.toLowerCase().startsWith(wanted));
        (named ?? types.find((type) => type.dataset.keywords.split(" ").includes(wanted)) ?? types[0]).click();
      }
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by && types.length) { event.preventDefault(); (here + by < 0 ? one("input", palette) : types[Math.min(here + by, types.length - 1)]).focus(); }
    });
    window.addEventListener("beforeunload", (event) => { if (this._dirty) { this._save(); event.preventDefault(); } });
    // What is published is what was drawn last.
    document.addEventListener("submit", async (event) => {
      if (!this.isConnected || !this._dirty || this.side.contains(event.target) || event.target.closest("dialog")) return;
      const { target, submitter } = event;
      event.preventDefault();
      if (await this._save()) target.requestSubmit(submitter);
    }, true);
  }

  _key(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const told = () => { event.preventDefault(); event.stopPropagation(); };
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      told();
      if (event.shiftKey) this._again(this._after, this._before); else this._again(this._before, this._after);
      return;
    }
    if ((event.ctrlKey || event.metaKey) && key === "y") { told(); this._again(this._after, this._before); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.startsWith("Arrow")) {
      told();
      if (event.shiftKey && this.may && this._at) {
        if (this._graph.ordered) { this._shift(key); return; }
        this._keep();
        const { position } = this._node(this._at);
        position.x += { ArrowLeft: -STEP, ArrowRight: STEP }[key] ?? 0;
        position.y += { ArrowUp: -STEP, ArrowDown: STEP }[key] ?? 0;
        this._changed();
        this._choose(this._at);
        return;
      }
      const next = this._beside(key);
      if (next) this._choose(next);
      return;
    }
    if (key === "Enter" || key === " ") {
      if (event.target.closest(".flow-port")) return;
      told();
      if (this._link) {
        const { node, handle } = this._link;
        this._link = null;
        if (this._at && this._at !== node) this._connect(node, handle, this._at);
        this._choose(this._at);
        return;
      }
      if (this._at) this._edit(this._at);
      return;
    }
    if (key === "Escape") { told(); this._link = null; this._edge = ""; this._say(""); this._choose(this._at); return; }
    const deed = {
      a: () => this._add(this._at),
      c: () => this._pull(),
      Delete: () => this._delete(),
      Backspace: () => this._delete(),
      t: () => this.may && !this._graph.ordered && this._tidy(),
      f: () => this._fit(ALL),
      "+": () => this._zoom(1.2),
      "=": () => this._zoom(1.2),
      "-": () => this._zoom(1 / 1.2),
      "?": () => this._help(),
    }[key];
    if (deed) { told(); deed(); }
  }

  // Begins a connection by keys; pressed again, it takes the next way on.
  _pull() {
    const id = this._link?.node ?? this._at, ways = this._graph.shown[id]?.ways ?? [];
    if (!this.may || !ways.length) return;
    const place = this._link ? (ways.findIndex(([name]) => name === this._link.handle) + 1) % ways.length : 0;
    this._link = { node: id, handle: ways[place][0] };
    this._say(window.lwText(ways.length > 1 ? "choose_step_or_way" : "choose_step", { way: ways[place][1] }));
  }

  // Pointers: one drags, connects or pans, two zoom.

  _down(event) {
    if (event.pointerType === "mouse" && event.button > 1) return;
    this._pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this._pointers.size === 2) { this._drag = null; this._link = null; return; }
    const port = event.target.closest(".flow-port"), box = event.target.closest(".flow-node"), edge = event.target.closest("[data-edge]");
    const from = { x: event.clientX, y: event.clientY, id: event.pointerId };
    if (port) this._drag = { ...from, port, kind: "link" };
    else if (box) this._drag = { ...from, kind: "node", node: this._node(box.dataset.id), start: { ...this._node(box.dataset.id).position } };
    else if (edge) { this._at = ""; this._edge = edge.dataset.edge; this._choose("", false); this.stage.focus(); event.preventDefault(); }
    else this._drag = { ...from, kind: "pan", start: { ...this._view } };
  }

  _carry(event) {
    const known = this._pointers.get(event.pointerId);
    if (!known) return;
    if (this._pointers.size === 2) { this._pinch(event, known); return; }
    const drag = this._drag;
    if (!drag || drag.id !== event.pointerId) return;
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    if (!drag.moved) {
      if (Math.hypot(x, y) < FAR) return;
      drag.moved = true;
      this.stage.setPointerCapture(drag.id);
      if (drag.kind === "node" && this.may && !this._graph.ordered) this._keep();
    }
    if (drag.kind === "pan") { this.stage.classList.add("panning"); this._view = { ...drag.start, x: drag.start.x + x, y: drag.start.y + y }; this._move(); }
    if (drag.kind === "node" && this.may) {
      drag.node.position = { x: Math.round(drag.start.x + x / this._view.scale), y: Math.round(drag.start.y + y / this._view.scale) };
      this._put();
    }
    if (drag.kind === "link") {
      this._link = { node: drag.port.dataset.node, handle: drag.port.dataset.handle, to: this._spot(event) };
      const over = this._under(event);
      for (const [id, box] of this._elements) box.classList.toggle("target", id === over && id !== this._link.node);
      this._edges();
    }
  }

  _pinch(event, known) {
    const [a, b] = [...this._pointers.values()], before = Math.hypot(a.x - b.x, a.y - b.y);
    Object.assign(known, { x: event.clientX, y: event.clientY });
    const now = Math.hypot(a.x - b.x, a.y - b.y), box = this.stage.getBoundingClientRect();
    if (before > 0) this._zoom(now / before, { x: (a.x + b.x) / 2 - box.left, y: (a.y + b.y) / 2 - box.top });
  }

  _under(event) {
    const { x, y } = this._spot(event);
    return this._graph.nodes.find(({ position }) => x >= position.x && x <= position.x + WIDE && y >= position.y && y <= position.y + HIGH)?.id;
  }

  _up(event) {
    this._pointers.delete(event.pointerId);
    const drag = this._drag;
    if (!drag || drag.id !== event.pointerId) return;
    this._drag = null;
    this.stage.classList.remove("panning");
    if (drag.kind === "node") {
      if (!drag.moved) this._edit(drag.node.id);
      else if (this.may && this._graph.ordered) this._drop(drag);
      else if (this.may) this._changed();
    }
    if (drag.kind === "pan" && !drag.moved) { this._edge = ""; this._at = ""; this._close(); this._choose("", false); }
    if (drag.kind === "link") {
      const { node, handle } = drag.port.dataset, over = drag.moved ? this._under(event) : "";
      this._link = null;
      // A dialog that opens while the pointer goes up is closed by just that: what was only pressed waits for its click.
      if (over && over !== node) this._connect(node, handle, over);
      else if (drag.moved) { const { x, y } = this._spot(event); setTimeout(() => this._add(node, handle, { x: Math.round(x - WIDE / 2), y: Math.round(y) })); }
      this._choose(this._at, false);
    }
  }

  _end(event) {
    this._pointers.delete(event.pointerId);
    this._drag = this._link = null;
    this.stage.classList.remove("panning");
    this._put();
  }
}

customElements.define("lw-flow", Flow);
