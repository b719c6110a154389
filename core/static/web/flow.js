// The canvas of a graph, such as a workflow: steps that are placed, connected and edited by mouse, by touch and by keys alone. It draws
// what the page gives as JSON (flow_canvas.js), and saves what was drawn through the page (flow_changes.js); the nested
// list beside it does all of it too.

const { query, all, createElement, SVG, WIDE, HIGH, fitAll, FlowChanges } = window.lwFlow;
const STEP = 20;
const LIVE = 2000; // ms between two looks at the runs
const ALL = 0.25; // the least size at which all of it is shown
const FAR = 5; // px that a pointer moves before it drags

class Flow extends FlowChanges {
  connectedCallback() {
    fitAll();
    this.stage = query(".flow-stage", this);
    this.side = query(".flow-side", this);
    const data = query("#flow-data");
    if (!this.stage || !data) return;
    this._setGraph(JSON.parse(data.textContent));
    this.stage.hidden = false;
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute("aria-label", this.dataset.label);
    this.world = createElement("div", "flow-world");
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.classList.add("flow-edges");
    this.lines.setAttribute("aria-hidden", "true");
    this.world.append(this.lines);
    this.stage.append(this.world);
    this._tools();
    this._listen();
    this._draw();
    this._fit();
    if (this.dataset.live) this.watch = setInterval(() => { if (document.visibilityState === "visible") this._refreshCounts(); }, LIVE);
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
    const actions = {
      add: () => this._add(this._selectedId || this._first?.id),
      undo: () => this._restore(this._undoStack, this._redoStack),
      redo: () => this._restore(this._redoStack, this._undoStack),
      tidy: () => this._tidy(),
      fit: () => this._fit(ALL),
      help: () => this._help(),
    };
    for (const button of all("[data-tool]", this)) button.addEventListener("click", actions[button.dataset.tool]);
  }

  _help() { query("#flow-keys", this).showModal(); }

  _listen() {
    const { stage } = this;
    stage.addEventListener("pointerdown", (event) => this._onPointerDown(event));
    stage.addEventListener("pointermove", (event) => this._onPointerMove(event));
    stage.addEventListener("pointerup", (event) => this._onPointerUp(event));
    stage.addEventListener("pointercancel", (event) => this._endDrag(event));
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
      if (box && box.dataset.id !== this._selectedId && !this._drag) this._choose(box.dataset.id);
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
          this._edit(beside !== undefined ? this._selectedId : node || this._first?.id, link.href);
        }
      }
    });
    const palette = query("#flow-palette", this);
    palette.addEventListener("input", (event) => this._filterTypes(event.target.value));
    palette.addEventListener("keydown", (event) => {
      const types = all(".flow-type", palette).filter((type) => !type.hidden), index = types.indexOf(document.activeElement);
      if (event.key === "Enter" && index < 0 && types.length) {
        event.preventDefault();
        const term = event.target.value.trim().toLowerCase();
        const match = types.find((type) => query("b", type).textContent.toLowerCase().startsWith(term));
        (match ?? types.find((type) => type.dataset.keywords.split(" ").includes(term)) ?? types[0]).click();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && types.length) {
        event.preventDefault();
        (index + step < 0 ? query("input", palette) : types[Math.min(index + step, types.length - 1)]).focus();
      }
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
    const consume = () => { event.preventDefault(); event.stopPropagation(); };
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      consume();
      if (event.shiftKey) this._restore(this._redoStack, this._undoStack); else this._restore(this._undoStack, this._redoStack);
      return;
    }
    if ((event.ctrlKey || event.metaKey) && key === "y") { consume(); this._restore(this._redoStack, this._undoStack); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.startsWith("Arrow")) {
      consume();
      if (event.shiftKey && this.may && this._selectedId) {
        if (this._graph.ordered) { this._shift(key); return; }
        this._recordUndo();
        const { position } = this._node(this._selectedId);
        position.x += { ArrowLeft: -STEP, ArrowRight: STEP }[key] ?? 0;
        position.y += { ArrowUp: -STEP, ArrowDown: STEP }[key] ?? 0;
        this._changed();
        this._choose(this._selectedId);
        return;
      }
      const next = this._neighbour(key);
      if (next) this._choose(next);
      return;
    }
    if (key === "Enter" || key === " ") {
      if (event.target.closest(".flow-port")) return;
      consume();
      if (this._link) {
        const { node, handle } = this._link;
        this._link = null;
        if (this._selectedId && this._selectedId !== node) this._connect(node, handle, this._selectedId);
        this._choose(this._selectedId);
        return;
      }
      if (this._selectedId) this._edit(this._selectedId);
      return;
    }
    if (key === "Escape") { consume(); this._link = null; this._edge = ""; this._announce(""); this._choose(this._selectedId); return; }
    const action = {
      a: () => this._add(this._selectedId),
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
    if (action) { consume(); action(); }
  }

  // Begins a connection by keys; pressed again, it takes the next way on.
  _pull() {
    const id = this._link?.node ?? this._selectedId, ways = this._graph.shown[id]?.ways ?? [];
    if (!this.may || !ways.length) return;
    const place = this._link ? (ways.findIndex(([name]) => name === this._link.handle) + 1) % ways.length : 0;
    this._link = { node: id, handle: ways[place][0] };
    this._announce(window.lwText(ways.length > 1 ? "choose_step_or_way" : "choose_step", { way: ways[place][1] }));
  }

  // Pointers: one drags, connects or pans, two zoom.

  _onPointerDown(event) {
    if (event.pointerType === "mouse" && event.button > 1) return;
    this._pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this._pointers.size === 2) { this._drag = null; this._link = null; return; }
    const port = event.target.closest(".flow-port"), box = event.target.closest(".flow-node"), edge = event.target.closest("[data-edge]");
    const from = { x: event.clientX, y: event.clientY, id: event.pointerId };
    if (port) this._drag = { ...from, port, kind: "link" };
    else if (box) this._drag = { ...from, kind: "node", node: this._node(box.dataset.id), start: { ...this._node(box.dataset.id).position } };
    else if (edge) { this._selectedId = ""; this._edge = edge.dataset.edge; this._choose("", false); this.stage.focus(); event.preventDefault(); }
    else this._drag = { ...from, kind: "pan", start: { ...this._view } };
  }

  _onPointerMove(event) {
    const pointer = this._pointers.get(event.pointerId);
    if (!pointer) return;
    if (this._pointers.size === 2) { this._pinch(event, pointer); return; }
    const drag = this._drag;
    if (!drag || drag.id !== event.pointerId) return;
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    if (!drag.moved) {
      if (Math.hypot(x, y) < FAR) return;
      drag.moved = true;
      this.stage.setPointerCapture(drag.id);
      if (drag.kind === "node" && this.may && !this._graph.ordered) this._recordUndo();
    }
    if (drag.kind === "pan") { this.stage.classList.add("panning"); this._view = { ...drag.start, x: drag.start.x + x, y: drag.start.y + y }; this._move(); }
    if (drag.kind === "node" && this.may) {
      drag.node.position = { x: Math.round(drag.start.x + x / this._view.scale), y: Math.round(drag.start.y + y / this._view.scale) };
      this._place();
    }
    if (drag.kind === "link") {
      this._link = { node: drag.port.dataset.node, handle: drag.port.dataset.handle, to: this._canvasPoint(event) };
      const target = this._targetUnder(event);
      for (const [id, box] of this._elements) box.classList.toggle("target", id === target && id !== this._link.node);
      this._edges();
    }
  }

  _pinch(event, pointer) {
    const [a, b] = [...this._pointers.values()], before = Math.hypot(a.x - b.x, a.y - b.y);
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
    const now = Math.hypot(a.x - b.x, a.y - b.y), box = this.stage.getBoundingClientRect();
    if (before > 0) this._zoom(now / before, { x: (a.x + b.x) / 2 - box.left, y: (a.y + b.y) / 2 - box.top });
  }

  _targetUnder(event) {
    const { x, y } = this._canvasPoint(event);
    return this._graph.nodes.find(({ position }) => x >= position.x && x <= position.x + WIDE && y >= position.y && y <= position.y + HIGH)?.id;
  }

  _onPointerUp(event) {
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
    if (drag.kind === "pan" && !drag.moved) { this._edge = ""; this._selectedId = ""; this._close(); this._choose("", false); }
    if (drag.kind === "link") {
      const { node, handle } = drag.port.dataset, target = drag.moved ? this._targetUnder(event) : "";
      this._link = null;
      // A dialog that opens while the pointer goes up is closed by just that: what was only pressed waits for its click.
      if (target && target !== node) this._connect(node, handle, target);
      else if (drag.moved) {
        const { x, y } = this._canvasPoint(event);
        setTimeout(() => this._add(node, handle, { x: Math.round(x - WIDE / 2), y: Math.round(y) }));
      }
      this._choose(this._selectedId, false);
    }
  }

  _endDrag(event) {
    this._pointers.delete(event.pointerId);
    this._drag = this._link = null;
    this.stage.classList.remove("panning");
    this._place();
  }
}

customElements.define("lw-flow", Flow);
