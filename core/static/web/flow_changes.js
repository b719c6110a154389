// What is changed on the canvas, saved through its page, brought back and edited beside it.

const { query, all, createElement, fit, WIDE, HIGH, FlowCanvas } = window.lwFlow;
const APART = [280, 140];
const SOON = 700; // ms until a change is saved
const MAX_UNDO = 100;
const text = window.lwText;
const toast = (message) => document.dispatchEvent(new CustomEvent("toast", { detail: message }));

class FlowChanges extends FlowCanvas {
  // Changing

  // Keeps what is there now, so that it can be brought back.
  _recordUndo() {
    this._undoStack.push(this._serialize());
    if (this._undoStack.length > MAX_UNDO) this._undoStack.shift();
    this._redoStack = [];
  }

  _serialize() { return JSON.stringify({ nodes: this._graph.nodes, edges: this._graph.edges }); }

  _restore(from, to) {
    const text = from.pop();
    if (!text || !this.may) return;
    to.push(this._serialize());
    Object.assign(this._graph, JSON.parse(text));
    this._changed();
  }

  _changed() {
    this._draw();
    this._dirty = true;
    this._announce(text("not_saved_yet"));
    clearTimeout(this._timer);
    this._timer = setTimeout(() => this._save(), SOON);
  }

  _announce(message) {
    const state = query("#flow-state", this);
    if (state.textContent !== message) state.textContent = message;
  }

  async _save(overwrite = false) {
    clearTimeout(this._timer);
    if (this._saving) { await this._saving; }
    if (!this._dirty && !overwrite) return true;
    this._dirty = false;
    this._announce(text("saving"));
    const snapshot = this._serialize();
    const csrfmiddlewaretoken = query("[name=csrfmiddlewaretoken]").value;
    const body = new URLSearchParams({ do: "draw", graph: snapshot, since: this._graph.updatedAt, csrfmiddlewaretoken });
    if (overwrite) body.set("overwrite", "1");
    this._saving = fetch(this.dataset.home, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => null);
    const answer = await this._saving;
    this._saving = null;
    const data = await answer?.json().catch(() => null);
    if (answer?.ok && data) {
      const isUnchanged = snapshot === this._serialize();
      if (isUnchanged) this._applyAnswer(data);
      else this._graph.updatedAt = data.updatedAt; // it was drawn on meanwhile, and is saved again
      this._announce(text(isUnchanged ? "saved" : "not_saved_yet"));
      return true;
    }
    this._dirty = true;
    if (data?.who) this._askOverwrite(data.who);
    else { this._announce(text("not_saved")); toast(data?.message || text("check_connection")); }
    return false;
  }

  // Takes what the service knows now: labels, ways on, problems.
  _applyAnswer(data) {
    this._setGraph(data);
    this._draw();
    this._drawProblems();
    const publish = query("#flow-publish");
    if (publish && !publish.children.length && data.hasChanges) this._replacePart("#flow-publish");
  }

  async _replacePart(selector) {
    const page = await read(this.dataset.home);
    const part = page && query(selector, page);
    if (part) query(selector)?.replaceWith(document.importNode(part, true));
  }

  async _askOverwrite(member) {
    this._announce(text("not_saved"));
    const box = query("#flow-clash", this);
    query("[data-who]", box).textContent = member;
    box.showModal();
    await new Promise((done) => box.addEventListener("close", done, { once: true }));
    if (box.returnValue === "overwrite") this._save(true);
    else location.reload();
  }

  _drawProblems() {
    const place = query("#problems", this), problems = this._graph.problems;
    const open = query("details", place)?.open ?? true;
    place.replaceChildren();
    if (!problems.length) return;
    const box = createElement("details", ""), head = createElement("summary", ""), list = createElement("ul", "");
    box.open = open;
    head.textContent = text("problems", { number: problems.length });
    for (const problem of problems) {
      const line = createElement("li", problem.severity === "error" ? "error" : ""), link = createElement(problem.link ? "a" : "span", "");
      if (problem.link) { link.href = problem.link; link.dataset.node = problem.nodeId ?? ""; }
      link.textContent = `${problem.label ? `${problem.label}: ` : ""}${problem.message}`;
      line.append(link);
      list.append(line);
    }
    box.append(head, list);
    place.append(box);
  }

  _delete() {
    if (!this.may) return;
    if (this._edge) {
      if (this._graph.ordered) { this._announce(text("move_instead")); return; }
      this._recordUndo();
      this._graph.edges = this._graph.edges.filter((edge) => edge.id !== this._edge);
      this._edge = "";
      this._changed();
      this.stage.focus();
      return;
    }
    const node = this._node(this._selectedId);
    if (!node) return;
    const { label, fixed } = this._graph.shown[node.id] ?? {};
    if (node === this._first || fixed) { this._announce(text("fixed", { step: label })); return; }
    this._recordUndo();
    const incoming = this._removeNode(node);
    this._graph.nodes = this._graph.nodes.filter((other) => other !== node);
    this._selectedId = incoming[0]?.source ?? "";
    this._close();
    this._changed();
    this._choose(this._selectedId);
  }

  // Leads past a node. Returns the edges that led to it.
  _removeNode(node) {
    const incoming = this._graph.edges.filter((edge) => edge.target === node.id);
    const outgoing = this._graph.edges.filter((edge) => edge.source === node.id);
    const last = outgoing.at(-1)?.sourceHandle;
    this._graph.edges = this._graph.edges.filter((edge) => edge.source !== node.id && edge.target !== node.id);
    for (const before of incoming) for (const after of outgoing) if (after.sourceHandle === last) this._join(before.source, before.sourceHandle, after.target);
    return incoming;
  }

  // Puts a step of an ordered graph after another one.
  _moveAfter(id, source, handle) {
    const node = this._node(id), ways = this._graph.shown[id]?.ways ?? [];
    if (!ways.length || node === this._first) { this._announce(text("no_place", { step: this._graph.shown[id].label })); this._place(); return; }
    this._recordUndo();
    this._removeNode(node);
    const rest = this._graph.edges.filter((edge) => edge.source === source && edge.sourceHandle === handle);
    for (const edge of rest) Object.assign(edge, { source: id, sourceHandle: ways[0][0] });
    this._join(source, handle, id);
    this._selectedId = id;
    this._changed();
    this._announce(text("moved"));
  }

  // Moves a step of an ordered graph up or down by the keys.
  _shift(key) {
    const id = this._selectedId, into = (to) => this._graph.edges.find((edge) => edge.target === to);
    const movable = (to) => to !== undefined && (this._graph.shown[to]?.ways ?? []).length > 0;
    if (key === "ArrowDown") {
      const next = this._graph.edges.find((edge) => edge.source === id)?.target;
      if (movable(next)) this._moveAfter(id, next, this._graph.shown[next].ways[0][0]);
    }
    if (key === "ArrowUp") {
      const before = into(id)?.source, above = before && into(before);
      if (above && movable(before)) this._moveAfter(id, above.source, above.sourceHandle);
    }
  }

  // Puts a step of an ordered graph after the one on which it was dropped, else back.
  _drop({ node, start }) {
    const { x, y } = node.position;
    node.position = start;
    const middle = (other) => Math.abs(other.position.x - x) < WIDE / 2 && Math.abs(other.position.y - y) < HIGH / 2;
    const covered = this._graph.nodes.find((other) => other !== node && middle(other));
    const way = this._graph.shown[covered?.id]?.ways[0];
    if (covered && way) this._moveAfter(node.id, covered.id, way[0]);
    else this._place();
  }

  _join(source, handle, target) {
    const exists = this._graph.edges.some((edge) => edge.source === source && edge.sourceHandle === handle && edge.target === target);
    if (!exists) {
      const id = `${source}-${handle}-${target}`.slice(0, 200);
      this._graph.edges.push({ id, source, target, sourceHandle: handle, targetHandle: "in", label: "" });
    }
  }

  // Whether a node can come after another one.
  _leads(from, to) {
    const open = [from], seen = new Set();
    while (open.length) {
      const id = open.pop();
      if (id === to) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...this._graph.edges.filter((edge) => edge.source === id).map((edge) => edge.target));
    }
    return false;
  }

  _connect(source, handle, target) {
    if (this._node(target) === this._first) return this._announce(text("first"));
    if (this._graph.ordered) return this._moveAfter(target, source, handle);
    if (this._leads(target, source)) return this._announce(text("circle"));
    this._recordUndo();
    this._join(source, handle, target);
    this._changed();
    return this._announce(text("connected"));
  }

  // Asks which step to add, and puts it after a way on.
  _add(id, handle, position) {
    const view = this._graph.shown[id];
    if (!this.may || !view) return;
    if (!view.ways.length && !this._graph.ordered) { toast(text("last", { step: view.label })); return; }
    const freeHandle = view.ways.map(([name]) => name).find((name) => !this._graph.edges.some((edge) => edge.source === id && edge.sourceHandle === name));
    this.adding = { id, handle: handle ?? freeHandle ?? view.ways.at(-1)?.[0] ?? "out", position };
    const box = query("#flow-palette", this), field = query("input", box);
    field.value = "";
    this._filterTypes("");
    box.showModal();
    field.focus();
  }

  _filterTypes(text) {
    const term = text.trim().toLowerCase();
    const types = all("#flow-types .flow-type", this);
    for (const type of types) type.hidden = !`${type.textContent} ${type.dataset.keywords}`.toLowerCase().includes(term);
    query("#flow-no-types", this).hidden = types.some((type) => !type.hidden);
    for (const head of all("#flow-types .found-head", this)) {
      let next = head.nextElementSibling, hasMatch = false;
      while (next?.matches(".flow-type")) { hasMatch ||= !next.hidden; next = next.nextElementSibling; }
      head.hidden = !hasMatch;
    }
  }

  async _added(button) {
    const { id: after, handle, position } = this.adding, { type } = button.dataset;
    query("#flow-palette", this).close();
    if (button.dataset.first) { this._edit(after, `${button.dataset.first}&at=${encodeURIComponent(`${after}/${handle}`)}`); return; }
    this._recordUndo();
    const ids = new Set(this._graph.nodes.map((node) => node.id));
    let number = 1;
    while (ids.has(`${type}-${number}`)) number += 1;
    const id = `${type}-${number}`, ways = button.dataset.handles.split(",").filter(Boolean);
    const above = this._node(after).position, rest = this._graph.edges.filter((edge) => edge.source === after && edge.sourceHandle === handle);
    const handles = (this._graph.shown[after]?.ways ?? []).map(([name]) => name);
    const shift = (handles.indexOf(handle) - (handles.length - 1) / 2) * APART[0];
    const place = position ?? { x: Math.round(above.x + shift), y: above.y + APART[1] };
    if (!position && rest.length) {
      for (const node of this._graph.nodes) if (node.id !== after && rest.some((edge) => this._leads(edge.target, node.id))) node.position.y += APART[1];
    }
    this._graph.nodes.push({ id, type, position: place, data: JSON.parse(button.dataset.seed) });
    this._graph.shown[id] = {
      label: query("b", button).textContent,
      about: "",
      group: [...button.classList].find((css) => css.startsWith("group-"))?.slice(6) ?? "",
      ways: ways.map((name) => [name, name]),
      problems: [],
    };
    if (ways.length) for (const edge of rest) Object.assign(edge, { source: id, sourceHandle: ways[0] });
    else this._graph.edges = this._graph.edges.filter((edge) => !rest.includes(edge));
    this._join(after, handle, id);
    this._selectedId = id;
    this._changed();
    this._choose(id);
    if (await this._save()) this._edit(id);
  }

  // Places the nodes in rows from top to bottom, each below all that lead to it, those of a row in the order of who leads there.
  _tidy() {
    const { nodes, edges } = this._graph, row = new Map(nodes.map((node) => [node.id, 0]));
    for (let round = 0, hasMoved = true; hasMoved && round < nodes.length; round += 1) {
      hasMoved = false;
      for (const { source, target } of edges) {
        if (row.has(source) && row.has(target) && row.get(target) <= row.get(source)) { row.set(target, row.get(source) + 1); hasMoved = true; }
      }
    }
    this._recordUndo();
    const middle = new Map();
    for (let high = 0; high <= Math.max(...row.values()); high += 1) {
      const own = nodes.filter((node) => row.get(node.id) === high).map((node) => {
        const incoming = edges.filter((edge) => edge.target === node.id && middle.has(edge.source)).map((edge) => {
          const ways = (this._graph.shown[edge.source]?.ways ?? []).map(([name]) => name);
          return middle.get(edge.source) + (ways.indexOf(edge.sourceHandle) - (ways.length - 1) / 2) * APART[0];
        });
        return { node, wish: incoming.length ? incoming.reduce((sum, value) => sum + value, 0) / incoming.length : 0 };
      }).sort((a, b) => a.wish - b.wish);
      let last = -Infinity;
      for (const item of own) { item.x = Math.max(item.wish, last + APART[0]); last = item.x; }
      const shift = own.length ? own.reduce((sum, item) => sum + item.wish - item.x, 0) / own.length : 0;
      for (const { node, x } of own) { middle.set(node.id, x + shift); node.position = { x: Math.round(x + shift), y: high * APART[1] }; }
    }
    this._changed();
    this._fit();
  }

  // Editing: the page of the step, beside the canvas.

  async _edit(id, address = "") {
    if (!(await this._mayLeave()) || !(await this._save())) return;
    this._choose(id, false);
    const page = await read(address || `${this._graph.step}?node=${encodeURIComponent(id)}`);
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    this._open(page, new URL(address || location.href, location).hash.slice(1));
  }

  // Shows the page of a step in the panel, and goes to the part of this id.
  _open(page, partId = "") {
    const part = query("#step", page);
    if (!part) { toast(query(".toast.bad p", page)?.textContent ?? text("gone")); this._close(); return; }
    const head = createElement("header", "panel-head"), title = createElement("h2", ""), close = createElement("button", "button quiet");
    title.textContent = query("h1", page).textContent;
    close.type = "button";
    close.textContent = text("close");
    close.dataset.leave = "";
    head.append(title, close);
    this.side.replaceChildren(head, document.importNode(part, true));
    this.side.hidden = false;
    const fresh = query("#flow-fresh", this.side);
    if (fresh) this._applyAnswer(JSON.parse(fresh.textContent));
    const form = query("#step-form", this.side);
    fit(form);
    if (this._node(form.elements.node?.value)) this._choose(form.elements.node.value, false);
    this._markAnswered(new Map(all("[data-answered]", this.side).map((part) => [part.dataset.node, part.dataset.answered])));
    this._reveal(this._selectedId || this._graph.nodes[0].id);
    const place = partId ? query(`#${CSS.escape(partId)}`, this.side) : null;
    place?.closest("details")?.setAttribute("open", "");
    place?.scrollIntoView({ block: "center" });
    const fields = ":is(input:not([type=hidden]), select, textarea)";
    const target = place?.matches(fields) ? place : place && query(`${fields}, button`, place);
    const invalid = query("[aria-invalid=true], .summary", form);
    (target ?? invalid ?? query(fields, form) ?? close).focus();
  }

  // Marks the steps that did something in a conversation that was tried.
  _markAnswered(nodes) {
    if (!nodes.size && !this._answeredNodes.size) return;
    this._answeredNodes = nodes;
    this._draw();
  }

  // Asks before what was typed into the panel is lost.
  _mayLeave() {
    const forms = window.lwUnsaved?.unsaved(this.side) ?? [];
    if (!forms.length) return Promise.resolve(true);
    return new Promise((answer) => window.lwUnsaved.ask(forms, () => answer(true), () => answer(false)));
  }

  async _leave() { if (await this._mayLeave()) this._close(); }

  _close() {
    this.side.hidden = true;
    this.side.replaceChildren();
    this._markAnswered(new Map());
    if (this._box(this._selectedId)) this._choose(this._selectedId);
    else this.stage.focus();
  }

  async _submit(event) {
    const form = event.target;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter)), before = this._serialize();
    body.set("stay", "1");
    const page = await read(form.action, { method: "POST", body });
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    const closes = event.submitter?.value === "save" && !query(".summary", page);
    this._open(page);
    if (this._serialize() !== before) { this._undoStack.push(before); this._redoStack = []; }
    query("#toasts")?.replaceChildren(...all("#toasts > *", page).map((toast) => document.importNode(toast, true)));
    if (closes && !query(".trouble", this.side)) this._close();
    if (query("#flow-fresh", page)) this._announce(text("saved"));
  }

  // How runs stand

  async _refreshCounts() {
    if (this.looking) return;
    this.looking = true;
    const page = await read(this.dataset.live);
    this.looking = false;
    if (!page) return;
    this._counts = new Map(all("[data-counts]", page).map((part) => [part.dataset.counts, part]));
    for (const part of all("[data-counts]", this)) {
      const source = this._counts.get(part.dataset.counts);
      if (source && source.innerHTML !== part.innerHTML) part.replaceChildren(...[...source.childNodes].map((child) => document.importNode(child, true)));
    }
  }
  _counts = null;
}

// Returns a page of the service, or null.
async function read(address, options = {}) {
  try {
    const answer = await fetch(address, { ...options, headers: { "HX-Request": "true" } });
    if (!answer.ok && answer.status !== 422) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch { return null; }
}

window.lwFlow.FlowChanges = FlowChanges;
