// The canvas of a graph, as it is drawn: the steps, the lines between, what is chosen and what is in sight.

const { query, all } = window.lwFlow;
const createElement = (name, css, root = document) => Object.assign(root.createElement(name), { className: css });
const SVG = "http://www.w3.org/2000/svg";
const WIDE = 220, HIGH = 92; // a card is as high from the start on: counts that come later move nothing
const READABLE = 0.85; // the least size at which a drawing is opened

class FlowCanvas extends HTMLElement {
  // nodes, edges, shown (label, about, ways, problems of each node), start (the type of the first one), updatedAt. Of an
  // ordered one the service places the nodes and draws the edges: people say which steps there are, in which order.
  _graph = null;
  _answeredNodes = new Map(); // id of a node -> what it did in a conversation that was tried
  _undoStack = [];
  _redoStack = [];
  _view = { x: 0, y: 0, scale: 1 };
  _selectedId = ""; // the id of the chosen node
  _edge = ""; // or of the chosen edge
  _link = null; // a connection that is being drawn: node and handle
  _drag = null;
  _pointers = new Map();
  _timer = 0;
  _saving = null;
  _dirty = false;

  // What is drawn

  _setGraph(graph) {
    this._graph = graph;
    this._selectedId = graph.renamed?.[this._selectedId] ?? this._selectedId;
    if (this._selectedId && !this._node(this._selectedId)) this._selectedId = "";
  }

  get may() { return this._graph.mayChange; }
  get _first() { return this._graph.nodes.find((node) => node.type === this._graph.start); }
  _node(id) { return this._graph.nodes.find((node) => node.id === id); }
  _box(id) { return this._elements?.get(id); }
  _elements = new Map();

  _draw() {
    const focused = this.stage.contains(document.activeElement) && document.activeElement !== this.stage;
    for (const part of all(".flow-node, .flow-port", this.world)) part.remove();
    this._elements.clear();
    for (const node of this._order()) {
      const ways = [["out", window.lwText("then")]];
      const view = this._graph.shown[node.id] ?? { label: node.data.label || node.type, about: "", group: "", ways, problems: [] };
      const box = createElement("button", `flow-node group-${view.group}`);
      box.type = "button";
      box.dataset.id = node.id;
      box.classList.toggle("off", node.data.disabled === true);
      box.classList.toggle("wrong", view.problems.length > 0);
      box.classList.toggle("answered", this._answeredNodes.has(node.id));
      const name = createElement("b", "");
      name.textContent = view.label;
      const about = createElement("span", "about");
      about.textContent = about.title = view.about;
      box.append(name, about);
      if (view.problems.length) {
        const mark = createElement("span", "mark");
        mark.textContent = "!";
        mark.title = view.problems.join("\n");
        mark.setAttribute("aria-hidden", "true");
        box.append(mark);
      }
      const counts = createElement("span", "counts");
      counts.dataset.counts = node.id;
      const summary = this._counts?.get(node.id);
      if (summary) counts.append(...[...summary.childNodes].map((child) => child.cloneNode(true)));
      box.append(counts);
      const hint = createElement("span", "hidden-text");
      hint.textContent = [node.data.disabled ? window.lwText("left_out") : "", ...view.problems, this._answeredNodes.get(node.id)].filter(Boolean).join(", ");
      if (hint.textContent) box.append(hint);
      this._elements.set(node.id, box);
      this.world.append(box);
      for (const [place, [handle, label]] of view.ways.entries()) {
        if (!this.may) break;
        const port = createElement("button", "flow-port");
        port.type = "button";
        port.tabIndex = -1;
        port.dataset.node = node.id;
        port.dataset.handle = handle;
        port.dataset.place = `${place}/${view.ways.length}`;
        port.title = label;
        port.setAttribute("aria-label", window.lwText("port", { step: view.label, way: label }));
        this.world.append(port);
      }
    }
    this._place();
    this._choose(this._selectedId, false);
    if (focused) (this._box(this._selectedId) ?? this.stage).focus({ preventScroll: true }); // what had the focus was drawn anew
  }

  // The nodes from top to bottom and from left to right, which is the order of Tab.
  _order() {
    return [...this._graph.nodes].sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);
  }

  _port(id, handle) {
    const node = this._node(id);
    const ways = (this._graph.shown[id]?.ways ?? [["out"]]).map(([name]) => name);
    const place = Math.max(0, ways.indexOf(handle));
    return { x: node.position.x + (WIDE * (place + 1)) / (Math.max(ways.length, 1) + 1), y: node.position.y + HIGH };
  }

  // Places what is there, and draws the lines between.
  _place() {
    for (const node of this._graph.nodes) {
      const box = this._box(node.id);
      box.style.left = `${node.position.x}px`;
      box.style.top = `${node.position.y}px`;
    }
    for (const port of all(".flow-port", this.world)) {
      const { x, y } = this._port(port.dataset.node, port.dataset.handle);
      port.style.left = `${x}px`;
      port.style.top = `${y}px`;
    }
    this._edges();
  }

  _edges() {
    const groups = [];
    for (const edge of this._graph.edges) {
      const target = this._node(edge.target);
      if (!target || !this._node(edge.source)) continue;
      const from = this._port(edge.source, edge.sourceHandle), to = { x: target.position.x + WIDE / 2, y: target.position.y };
      const group = document.createElementNS(SVG, "g");
      group.dataset.edge = edge.id;
      group.classList.toggle("chosen", edge.id === this._edge);
      for (const css of ["", "hit"]) {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", curve(from, to));
        if (css) path.classList.add(css);
        group.append(path);
      }
      const ways = this._graph.shown[edge.source]?.ways ?? [];
      const place = ways.findIndex(([handle]) => handle === edge.sourceHandle);
      if (ways.length > 1) {
        const text = document.createElementNS(SVG, "text");
        text.setAttribute("x", String((from.x * 3 + to.x) / 4));
        text.setAttribute("y", String((from.y * 3 + to.y) / 4 + 6 + labelOffset(place)));
        text.textContent = ways[place]?.[1] ?? edge.sourceHandle;
        group.append(text);
      }
      groups.push(group);
    }
    for (const node of this._graph.nodes) {
      const ways = this._graph.shown[node.id]?.ways ?? [];
      for (const [place, [handle, label]] of ways.length > 1 ? ways.entries() : []) {
        if (this._graph.edges.some((edge) => edge.source === node.id && edge.sourceHandle === handle)) continue;
        const { x, y } = this._port(node.id, handle), text = document.createElementNS(SVG, "text");
        text.setAttribute("x", String(x));
        text.setAttribute("y", String(y + 22 + labelOffset(place)));
        text.textContent = label;
        groups.push(text);
      }
    }
    if (this._link?.to) {
      const path = document.createElementNS(SVG, "path");
      path.classList.add("pulled");
      path.setAttribute("d", curve(this._port(this._link.node, this._link.handle), this._link.to));
      groups.push(path);
    }
    this.lines.replaceChildren(...groups);
  }

  _move() {
    const { x, y, scale } = this._view;
    this.world.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.stage.style.backgroundPosition = `${x}px ${y}px`;
  }

  // Shows the drawing, at most at its own size, at least at one that can be read: then from its first step on.
  _fit(least = READABLE) {
    const { clientWidth: wide, clientHeight: high } = this.stage;
    this.placed = wide > 0;
    if (!this.placed) return;
    const boxes = this._graph.nodes.map((node) => node.position);
    const left = Math.min(...boxes.map((box) => box.x)), right = Math.max(...boxes.map((box) => box.x)) + WIDE;
    const top = Math.min(...boxes.map((box) => box.y)), bottom = Math.max(...boxes.map((box) => box.y)) + HIGH + 40;
    const scale = Math.max(least, Math.min(1, (wide - 64) / (right - left), (high - 64) / (bottom - top)));
    const first = this._first ?? this._graph.nodes[0];
    const middle = (right - left) * scale > wide ? first.position.x + WIDE / 2 : (left + right) / 2;
    this._view = { scale, x: wide / 2 - middle * scale, y: 32 - top * scale };
    this._move();
  }

  _zoom(factor, point) {
    const { x, y, scale } = this._view;
    const next = Math.max(0.2, Math.min(2, scale * factor));
    const middle = point ?? { x: this.stage.clientWidth / 2, y: this.stage.clientHeight / 2 };
    this._view = { scale: next, x: middle.x - ((middle.x - x) * next) / scale, y: middle.y - ((middle.y - y) * next) / scale };
    this._move();
  }

  // The place on the drawing of a pointer.
  _canvasPoint(event) {
    const box = this.stage.getBoundingClientRect();
    return { x: (event.clientX - box.left - this._view.x) / this._view.scale, y: (event.clientY - box.top - this._view.y) / this._view.scale };
  }

  // Choosing

  _choose(id, focus = true) {
    this._selectedId = id;
    if (id) this._edge = "";
    for (const [key, box] of this._elements) {
      if (key === id) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
      box.classList.toggle("target", this._link !== null && key === id && key !== this._link.node);
    }
    const box = this._box(id);
    if (box && focus) {
      box.focus({ preventScroll: true });
      this._reveal(id);
    }
    this._edges();
  }

  // Brings a node into sight.
  _reveal(id) {
    const node = this._node(id), { x, y, scale } = this._view;
    const left = node.position.x * scale + x, top = node.position.y * scale + y;
    const right = this.stage.clientWidth - 24;
    // On a small screen the panel stands over the lower part of the drawing.
    const covered = this.side.hidden ? 0 : this.stage.getBoundingClientRect().bottom - this.side.getBoundingClientRect().top;
    const below = this.side.offsetWidth < this.offsetWidth ? 0 : Math.max(0, covered);
    const bottom = this.stage.clientHeight - below - 48;
    if (left < 24) this._view.x += 24 - left;
    else if (left + WIDE * scale > right) this._view.x -= Math.min(left - 24, left + WIDE * scale - right);
    if (top < 24) this._view.y += 24 - top;
    else if (top + HIGH * scale > bottom) this._view.y -= Math.min(top - 24, top + HIGH * scale - bottom);
    this._move();
    this.stage.scrollTo(0, 0);
  }

  // The nearest node in a direction.
  _neighbour(key) {
    const from = this._node(this._selectedId);
    if (!from) return this._order()[0]?.id;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null, least = Infinity;
    for (const node of this._graph.nodes) {
      const x = node.position.x - from.position.x, y = node.position.y - from.position.y;
      const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 0 && along + across * 2 < least) { least = along + across * 2; best = node.id; }
    }
    return best;
  }
}

// Labels of neighboring ways stand at two heights, so that long ones do not overlap.
function labelOffset(place) { return place % 2 ? 16 : 0; }

function curve(from, to) {
  const bend = Math.max(24, Math.abs(to.y - from.y) / 2);
  return `M${from.x} ${from.y}C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
}

Object.assign(window.lwFlow, { createElement, SVG, WIDE, HIGH, FlowCanvas });
