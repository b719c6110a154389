// The canvas of a workflow: steps that are placed, connected and edited by mouse, by touch and by keys alone. It draws
// what the page gives as JSON, and saves what was drawn through the page; the nested list beside it does all of it too.

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const made = (name, css, root = document) => Object.assign(root.createElement(name), { className: css });
const SVG = "http://www.w3.org/2000/svg";
const WIDE = 220, HIGH = 64, STEP = 20, APART = [280, 140];
const SOON = 700, LIVE = 2000; // ms until a change is saved, and between two looks at the runs
const toast = (text) => document.dispatchEvent(new CustomEvent("toast", { detail: text }));
const FAR = 5; // px that a pointer moves before it drags
const MOST_UNDO = 100;

// Fields whose data-show-if is not met are hidden: {"name of an input": ["values with which it matters"]}.
function fit(form) {
  for (const part of all("[data-show-if]", form)) {
    part.hidden = !Object.entries(JSON.parse(part.dataset.showIf)).every(([name, values]) => {
      const input = form.elements[name];
      return !input || values.includes(input.value);
    });
  }
}
function fitAll() { for (const form of all("form#step-form")) fit(form); }
document.addEventListener("change", (event) => { if (event.target.form?.id === "step-form") fit(event.target.form); });

// A value that is clicked goes into the text that was typed into last.
let typed = null;
document.addEventListener("focusin", (event) => {
  if (event.target.matches("#step-form :is(input[type=text], input:not([type]), textarea)")) typed = event.target;
});
document.addEventListener("click", (event) => {
  const value = event.target.closest("[data-insert]");
  if (!value) return;
  const field = typed?.isConnected ? typed : one("#step-form .part :is(input[type=text], textarea)");
  if (!field) return;
  const text = value.closest("details").dataset.plain ? value.dataset.insert : `{{ ${value.dataset.insert} }}`;
  field.setRangeText(text, field.selectionStart ?? field.value.length, field.selectionEnd ?? field.value.length, "end");
  field.focus();
});

class Flow extends HTMLElement {
  #graph = null; // nodes, edges, shown (label, about, ways, problems of each node), updatedAt
  #before = [];
  #after = [];
  #view = { x: 0, y: 0, scale: 1 };
  #at = ""; // the id of the chosen node
  #edge = ""; // or of the chosen edge
  #link = null; // a connection that is being drawn: node and handle
  #drag = null;
  #pointers = new Map();
  #timer = 0;
  #saving = null;
  #dirty = false;

  connectedCallback() {
    fitAll();
    this.stage = one(".flow-stage", this);
    this.side = one(".flow-side", this);
    const data = one("#flow-data");
    if (!this.stage || !data) return;
    this.#take(JSON.parse(data.textContent));
    this.stage.hidden = false;
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "application");
    this.stage.setAttribute("aria-label", "Canvas of the workflow. Press question mark for its keys.");
    this.world = made("div", "flow-world");
    this.lines = document.createElementNS(SVG, "svg");
    this.lines.classList.add("flow-edges");
    this.lines.setAttribute("aria-hidden", "true");
    this.world.append(this.lines);
    this.stage.append(this.world);
    this.#tools();
    this.#listen();
    this.#draw();
    this.#fit();
    this.watch = setInterval(() => { if (document.visibilityState === "visible") this.#look(); }, LIVE);
    // A drawing that comes into sight only now is placed now.
    this.sized = new ResizeObserver(() => { if (!this.placed && this.stage.clientWidth) this.#fit(); });
    this.sized.observe(this.stage);
  }

  disconnectedCallback() {
    clearInterval(this.watch);
    this.sized?.disconnect();
  }

  // What is drawn

  #take(graph) {
    this.#graph = graph;
    if (this.#at && !this.#node(this.#at)) this.#at = "";
  }

  get may() { return this.#graph.mayChange; }
  #node(id) { return this.#graph.nodes.find((node) => node.id === id); }
  #box(id) { return this.#elements?.get(id); }
  #elements = new Map();

  #draw() {
    const focused = this.stage.contains(document.activeElement) && document.activeElement !== this.stage;
    for (const part of all(".flow-node, .flow-port", this.world)) part.remove();
    this.#elements.clear();
    for (const node of this.#order()) {
      const shown = this.#graph.shown[node.id] ?? { label: node.data.label || node.type, about: "", group: "", ways: [["out", "Then"]], problems: [] };
      const box = made("button", `flow-node group-${shown.group}`);
      box.type = "button";
      box.dataset.id = node.id;
      box.classList.toggle("off", node.data.disabled === true);
      box.classList.toggle("wrong", shown.problems.length > 0);
      const name = made("b", "");
      name.textContent = shown.label;
      const about = made("span", "about");
      about.textContent = shown.about;
      box.append(name, about);
      if (shown.problems.length) {
        const mark = made("span", "mark");
        mark.textContent = "!";
        mark.title = shown.problems.join("\n");
        box.append(mark);
      }
      const counts = made("span", "counts");
      counts.dataset.counts = node.id;
      const known = this.#counts?.get(node.id);
      if (known) counts.append(...[...known.childNodes].map((child) => child.cloneNode(true)));
      box.append(counts);
      box.setAttribute("aria-label", [shown.label, shown.about, node.data.disabled ? "left out" : "", ...shown.problems].filter(Boolean).join(", "));
      this.#elements.set(node.id, box);
      this.world.append(box);
      for (const [place, [handle, words]] of shown.ways.entries()) {
        if (!this.may) break;
        const port = made("button", "flow-port");
        port.type = "button";
        port.tabIndex = -1;
        port.dataset.node = node.id;
        port.dataset.handle = handle;
        port.dataset.place = `${place}/${shown.ways.length}`;
        port.title = words;
        port.setAttribute("aria-label", `${shown.label}, ${words}: add or connect`);
        this.world.append(port);
      }
    }
    this.#put();
    this.#choose(this.#at, false);
    if (focused) (this.#box(this.#at) ?? this.stage).focus({ preventScroll: true }); // what had the focus was drawn anew
  }

  // The nodes from top to bottom and from left to right, which is the order of Tab.
  #order() {
    return [...this.#graph.nodes].sort((a, b) => a.position.y - b.position.y || a.position.x - b.position.x);
  }

  #port(id, handle) {
    const node = this.#node(id);
    const ways = (this.#graph.shown[id]?.ways ?? [["out"]]).map(([name]) => name);
    const place = Math.max(0, ways.indexOf(handle));
    return { x: node.position.x + (WIDE * (place + 1)) / (Math.max(ways.length, 1) + 1), y: node.position.y + (this.#box(id)?.offsetHeight || HIGH) };
  }

  // Places what is there, and draws the lines between.
  #put() {
    for (const node of this.#graph.nodes) {
      const box = this.#box(node.id);
      box.style.left = `${node.position.x}px`;
      box.style.top = `${node.position.y}px`;
    }
    for (const port of all(".flow-port", this.world)) {
      const { x, y } = this.#port(port.dataset.node, port.dataset.handle);
      port.style.left = `${x}px`;
      port.style.top = `${y}px`;
    }
    this.#edges();
  }

  #edges() {
    const groups = [];
    for (const edge of this.#graph.edges) {
      const target = this.#node(edge.target);
      if (!target || !this.#node(edge.source)) continue;
      const from = this.#port(edge.source, edge.sourceHandle), to = { x: target.position.x + WIDE / 2, y: target.position.y };
      const group = document.createElementNS(SVG, "g");
      group.dataset.edge = edge.id;
      group.classList.toggle("chosen", edge.id === this.#edge);
      for (const css of ["", "hit"]) {
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", curve(from, to));
        if (css) path.classList.add(css);
        group.append(path);
      }
      const ways = this.#graph.shown[edge.source]?.ways ?? [];
      if (ways.length > 1) {
        const text = document.createElementNS(SVG, "text");
        text.setAttribute("x", String((from.x * 3 + to.x) / 4));
        text.setAttribute("y", String((from.y * 3 + to.y) / 4 + 6));
        text.textContent = ways.find(([handle]) => handle === edge.sourceHandle)?.[1] ?? edge.sourceHandle;
        group.append(text);
      }
      groups.push(group);
    }
    if (this.#link?.to) {
      const path = document.createElementNS(SVG, "path");
      path.classList.add("pulled");
      path.setAttribute("d", curve(this.#port(this.#link.node, this.#link.handle), this.#link.to));
      groups.push(path);
    }
    this.lines.replaceChildren(...groups);
  }

  #move() {
    const { x, y, scale } = this.#view;
    this.world.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    this.stage.style.backgroundPosition = `${x}px ${y}px`;
  }

  // Shows all of the drawing, at most at its own size.
  #fit() {
    const { clientWidth: wide, clientHeight: high } = this.stage;
    this.placed = wide > 0;
    if (!this.placed) return;
    const boxes = this.#graph.nodes.map((node) => node.position);
    const left = Math.min(...boxes.map((box) => box.x)), right = Math.max(...boxes.map((box) => box.x)) + WIDE;
    const top = Math.min(...boxes.map((box) => box.y)), bottom = Math.max(...boxes.map((box) => box.y)) + HIGH + 40;
    const scale = Math.max(0.25, Math.min(1, (wide - 64) / (right - left), (high - 64) / (bottom - top)));
    this.#view = { scale, x: (wide - (right - left) * scale) / 2 - left * scale, y: 32 - top * scale };
    this.#move();
  }

  #zoom(by, at) {
    const { x, y, scale } = this.#view;
    const next = Math.max(0.2, Math.min(2, scale * by));
    const middle = at ?? { x: this.stage.clientWidth / 2, y: this.stage.clientHeight / 2 };
    this.#view = { scale: next, x: middle.x - ((middle.x - x) * next) / scale, y: middle.y - ((middle.y - y) * next) / scale };
    this.#move();
  }

  // The place on the drawing of a pointer.
  #spot(event) {
    const box = this.stage.getBoundingClientRect();
    return { x: (event.clientX - box.left - this.#view.x) / this.#view.scale, y: (event.clientY - box.top - this.#view.y) / this.#view.scale };
  }

  // Choosing

  #choose(id, focus = true) {
    this.#at = id;
    if (id) this.#edge = "";
    for (const [own, box] of this.#elements) {
      if (own === id) box.setAttribute("aria-current", "true");
      else box.removeAttribute("aria-current");
      box.classList.toggle("target", this.#link !== null && own === id && own !== this.#link.node);
    }
    const box = this.#box(id);
    if (box && focus) {
      box.focus({ preventScroll: true });
      this.#reveal(id);
    }
    this.#edges();
  }

  // Brings a node into sight.
  #reveal(id) {
    const node = this.#node(id), { x, y, scale } = this.#view;
    const left = node.position.x * scale + x, top = node.position.y * scale + y;
    const right = this.stage.clientWidth - (this.side.hidden ? 0 : this.side.offsetWidth) - 24;
    if (left < 24) this.#view.x += 24 - left;
    else if (left + WIDE * scale > right) this.#view.x -= Math.min(left - 24, left + WIDE * scale - right);
    if (top < 24) this.#view.y += 24 - top;
    else if (top + HIGH * scale > this.stage.clientHeight - 48) this.#view.y -= top + HIGH * scale - this.stage.clientHeight + 48;
    this.#move();
    this.stage.scrollTo(0, 0);
  }

  // The nearest node in a direction.
  #beside(key) {
    const from = this.#node(this.#at);
    if (!from) return this.#order()[0]?.id;
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
    let best = null, least = Infinity;
    for (const node of this.#graph.nodes) {
      const x = node.position.x - from.position.x, y = node.position.y - from.position.y;
      const along = x * dx + y * dy, across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 0 && along + across * 2 < least) { least = along + across * 2; best = node.id; }
    }
    return best;
  }

  // Changing

  // Keeps what is there now, so that it can be brought back.
  #keep() {
    this.#before.push(this.#written());
    if (this.#before.length > MOST_UNDO) this.#before.shift();
    this.#after = [];
  }

  #written() { return JSON.stringify({ nodes: this.#graph.nodes, edges: this.#graph.edges }); }

  #again(from, to) {
    const text = from.pop();
    if (!text || !this.may) return;
    to.push(this.#written());
    Object.assign(this.#graph, JSON.parse(text));
    this.#changed();
  }

  #changed() {
    this.#draw();
    this.#dirty = true;
    this.#say("Not saved yet");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#save(), SOON);
  }

  #say(text) {
    const state = one("#flow-state", this);
    if (state.textContent !== text) state.textContent = text;
  }

  async #save(overwrite = false) {
    clearTimeout(this.#timer);
    if (this.#saving) { await this.#saving; }
    if (!this.#dirty && !overwrite) return true;
    this.#dirty = false;
    this.#say("Saving…");
    const sent = this.#written();
    const body = new URLSearchParams({ do: "draw", graph: sent, since: this.#graph.updatedAt, csrfmiddlewaretoken: one("[name=csrfmiddlewaretoken]").value });
    if (overwrite) body.set("overwrite", "1");
    this.#saving = fetch(this.dataset.home, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => null);
    const answer = await this.#saving;
    this.#saving = null;
    const found = await answer?.json().catch(() => null);
    if (answer?.ok && found) {
      const same = sent === this.#written();
      if (same) this.#fresh(found);
      else this.#graph.updatedAt = found.updatedAt; // it was drawn on meanwhile, and is saved again
      this.#say(same ? "Saved" : "Not saved yet");
      return true;
    }
    this.#dirty = true;
    if (found?.who) this.#clash(found.who);
    else { this.#say("Not saved"); toast(found?.message || "It could not be saved. Check your connection, then change something again."); }
    return false;
  }

  // Takes what the service knows now: labels, ways on, problems.
  #fresh(found) {
    this.#take(found);
    this.#draw();
    this.#problems();
    const publish = one("#flow-publish");
    if (publish && !publish.children.length && found.hasChanges) this.#renew("#flow-publish");
  }

  async #renew(selector) {
    const page = await read(this.dataset.home);
    const part = page && one(selector, page);
    if (part) one(selector)?.replaceWith(document.importNode(part, true));
  }

  async #clash(who) {
    this.#say("Not saved");
    const box = one("#flow-clash", this);
    one("[data-who]", box).textContent = who;
    box.showModal();
    await new Promise((done) => box.addEventListener("close", done, { once: true }));
    if (box.returnValue === "overwrite") this.#save(true);
    else location.reload();
  }

  #problems() {
    const place = one("#problems", this), found = this.#graph.problems;
    const open = one("details", place)?.open ?? true;
    place.replaceChildren();
    if (!found.length) return;
    const box = made("details", ""), head = made("summary", ""), list = made("ul", "");
    box.open = open;
    head.textContent = `${found.length} to look at before it can run`;
    for (const problem of found) {
      const line = made("li", problem.severity === "error" ? "error" : ""), link = made(problem.link ? "a" : "span", "");
      if (problem.link) { link.href = problem.link; link.dataset.node = problem.nodeId ?? ""; }
      link.textContent = `${problem.label ? `${problem.label}: ` : ""}${problem.message}`;
      line.append(link);
      list.append(line);
    }
    box.append(head, list);
    place.append(box);
  }

  #delete() {
    if (!this.may) return;
    if (this.#edge) {
      this.#keep();
      this.#graph.edges = this.#graph.edges.filter((edge) => edge.id !== this.#edge);
      this.#edge = "";
      this.#changed();
      this.stage.focus();
      return;
    }
    const node = this.#node(this.#at);
    if (!node) return;
    if (node.type === "trigger") { this.#say("The trigger stays"); return; }
    this.#keep();
    const came = this.#graph.edges.filter((edge) => edge.target === node.id);
    const went = this.#graph.edges.filter((edge) => edge.source === node.id);
    const last = went.at(-1)?.sourceHandle;
    this.#graph.nodes = this.#graph.nodes.filter((other) => other !== node);
    this.#graph.edges = this.#graph.edges.filter((edge) => edge.source !== node.id && edge.target !== node.id);
    for (const before of came) for (const after of went) if (after.sourceHandle === last) this.#join(before.source, before.sourceHandle, after.target);
    this.#at = came[0]?.source ?? "";
    this.#close();
    this.#changed();
    this.#choose(this.#at);
  }

  #join(source, handle, target) {
    const there = this.#graph.edges.some((edge) => edge.source === source && edge.sourceHandle === handle && edge.target === target);
    if (!there) this.#graph.edges.push({ id: `${source}-${handle}-${target}`.slice(0, 200), source, target, sourceHandle: handle, targetHandle: "in", label: "" });
  }

  // Whether a node can come after another one.
  #leads(from, to) {
    const open = [from], seen = new Set();
    while (open.length) {
      const id = open.pop();
      if (id === to) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      open.push(...this.#graph.edges.filter((edge) => edge.source === id).map((edge) => edge.target));
    }
    return false;
  }

  #connect(source, handle, target) {
    if (this.#node(target).type === "trigger") return this.#say("Nothing can lead to the trigger");
    if (this.#leads(target, source)) return this.#say("That would go in a circle");
    this.#keep();
    this.#join(source, handle, target);
    this.#changed();
    return this.#say("Connected");
  }

  // Asks which step to add, and puts it after a way on.
  #add(id, handle, position) {
    const shown = this.#graph.shown[id];
    if (!this.may || !shown?.ways.length) return;
    const free = shown.ways.map(([name]) => name).find((name) => !this.#graph.edges.some((edge) => edge.source === id && edge.sourceHandle === name));
    this.adding = { id, handle: handle ?? free ?? shown.ways.at(-1)[0], position };
    const box = one("#flow-palette", this), field = one("input", box);
    field.value = "";
    this.#sift("");
    box.showModal();
    field.focus();
  }

  #sift(text) {
    const wanted = text.trim().toLowerCase();
    for (const type of all(".flow-type", this)) type.hidden = !type.textContent.toLowerCase().includes(wanted);
    for (const head of all("#flow-types .found-head", this)) {
      let next = head.nextElementSibling, some = false;
      while (next?.matches(".flow-type")) { some ||= !next.hidden; next = next.nextElementSibling; }
      head.hidden = !some;
    }
  }

  async #added(button) {
    const { id: after, handle, position } = this.adding, { type } = button.dataset;
    one("#flow-palette", this).close();
    this.#keep();
    const ids = new Set(this.#graph.nodes.map((node) => node.id));
    let number = 1;
    while (ids.has(`${type}-${number}`)) number += 1;
    const id = `${type}-${number}`, ways = button.dataset.handles.split(",").filter(Boolean);
    const above = this.#node(after).position, rest = this.#graph.edges.filter((edge) => edge.source === after && edge.sourceHandle === handle);
    const many = (this.#graph.shown[after]?.ways ?? []).map(([name]) => name);
    const shift = (many.indexOf(handle) - (many.length - 1) / 2) * APART[0];
    const place = position ?? { x: Math.round(above.x + shift), y: above.y + APART[1] };
    if (!position && rest.length) {
      for (const node of this.#graph.nodes) if (node.id !== after && rest.some((edge) => this.#leads(edge.target, node.id))) node.position.y += APART[1];
    }
    this.#graph.nodes.push({ id, type, position: place, data: JSON.parse(button.dataset.seed) });
    this.#graph.shown[id] = { label: one("b", button).textContent, about: "", group: [...button.classList].find((css) => css.startsWith("group-"))?.slice(6) ?? "", ways: ways.map((name) => [name, name]), problems: [] };
    if (ways.length) for (const edge of rest) Object.assign(edge, { source: id, sourceHandle: ways[0] });
    else this.#graph.edges = this.#graph.edges.filter((edge) => !rest.includes(edge));
    this.#join(after, handle, id);
    this.#at = id;
    this.#changed();
    this.#choose(id);
    if (await this.#save()) this.#edit(id);
  }

  // Places the nodes in rows from top to bottom, each below all that lead to it, those of a row in the order of who leads there.
  #tidy() {
    const { nodes, edges } = this.#graph, row = new Map(nodes.map((node) => [node.id, 0]));
    for (let round = 0, moved = true; moved && round < nodes.length; round += 1) {
      moved = false;
      for (const { source, target } of edges) {
        if (row.has(source) && row.has(target) && row.get(target) <= row.get(source)) { row.set(target, row.get(source) + 1); moved = true; }
      }
    }
    this.#keep();
    const middle = new Map();
    for (let high = 0; high <= Math.max(...row.values()); high += 1) {
      const own = nodes.filter((node) => row.get(node.id) === high).map((node) => {
        const came = edges.filter((edge) => edge.target === node.id && middle.has(edge.source)).map((edge) => {
          const ways = (this.#graph.shown[edge.source]?.ways ?? []).map(([name]) => name);
          return middle.get(edge.source) + (ways.indexOf(edge.sourceHandle) - (ways.length - 1) / 2) * APART[0];
        });
        return { node, wish: came.length ? came.reduce((sum, value) => sum + value, 0) / came.length : 0 };
      }).sort((a, b) => a.wish - b.wish);
      let last = -Infinity;
      for (const one of own) { one.x = Math.max(one.wish, last + APART[0]); last = one.x; }
      const shift = own.length ? own.reduce((sum, one) => sum + one.wish - one.x, 0) / own.length : 0;
      for (const { node, x } of own) { middle.set(node.id, x + shift); node.position = { x: Math.round(x + shift), y: high * APART[1] }; }
    }
    this.#changed();
    this.#fit();
  }

  // Editing: the page of the step, beside the canvas.

  async #edit(id, address = "") {
    if (!(await this.#save())) return;
    this.#choose(id, false);
    const page = await read(address || `${this.#graph.step}?node=${encodeURIComponent(id)}`);
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    this.#open(page);
  }

  #open(page) {
    const part = one("#step", page);
    if (!part) { toast(one(".toast.bad p", page)?.textContent ?? "This step is gone."); this.#close(); return; }
    const head = made("header", "panel-head"), title = made("h2", ""), close = made("button", "button quiet");
    title.textContent = one("h1", page).textContent;
    close.type = "button";
    close.textContent = "Close";
    close.dataset.leave = "";
    head.append(title, close);
    this.side.replaceChildren(head, document.importNode(part, true));
    this.side.hidden = false;
    const fresh = one("#flow-fresh", this.side);
    if (fresh) this.#fresh(JSON.parse(fresh.textContent));
    const form = one("#step-form", this.side);
    fit(form);
    this.#reveal(this.#at || this.#graph.nodes[0].id);
    (one("[aria-invalid=true], .summary", form) ?? one(":is(input:not([type=hidden]), select, textarea)", form) ?? close).focus();
  }

  #close() {
    this.side.hidden = true;
    this.side.replaceChildren();
    if (this.#box(this.#at)) this.#choose(this.#at);
    else this.stage.focus();
  }

  async #submit(event) {
    const form = event.target;
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form, event.submitter)), before = this.#written();
    body.set("stay", "1");
    const page = await read(form.action, { method: "POST", body });
    if (!page) { document.dispatchEvent(new Event("htmx:error")); return; }
    const closes = event.submitter?.value === "save" && !one(".summary", page);
    this.#open(page);
    if (this.#written() !== before) { this.#before.push(before); this.#after = []; }
    one("#toasts")?.replaceChildren(...all("#toasts > *", page).map((found) => document.importNode(found, true)));
    if (closes && !one(".trouble", this.side)) this.#close();
    this.#say("Saved");
  }

  // How runs stand

  async #look() {
    if (this.looking) return;
    this.looking = true;
    const page = await read(this.dataset.live);
    this.looking = false;
    if (!page) return;
    this.#counts = new Map(all("[data-counts]", page).map((part) => [part.dataset.counts, part]));
    for (const part of all("[data-counts]", this)) {
      const found = this.#counts.get(part.dataset.counts);
      if (found && found.innerHTML !== part.innerHTML) part.replaceChildren(...[...found.childNodes].map((child) => document.importNode(child, true)));
    }
  }
  #counts = null;

  // What is pressed

  #tools() {
    const deeds = [["Add a step", () => this.#add(this.#at || this.#graph.nodes.find((node) => node.type === "trigger")?.id)], ["Undo", () => this.#again(this.#before, this.#after)], ["Redo", () => this.#again(this.#after, this.#before)], ["Tidy up", () => this.#tidy()], ["Show all", () => this.#fit()], ["Keys", () => this.#help()]];
    const bar = one(".flow-tools", this);
    for (const [words, deed] of deeds) {
      if (!this.may && !["Show all", "Keys"].includes(words)) continue;
      const button = made("button", "button quiet");
      button.type = "button";
      button.textContent = words;
      button.addEventListener("click", deed);
      bar.append(button);
    }
  }

  #help() { one("#flow-keys", this).showModal(); }

  #listen() {
    const { stage } = this;
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#carry(event));
    stage.addEventListener("pointerup", (event) => this.#up(event));
    stage.addEventListener("pointercancel", (event) => this.#end(event));
    stage.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = stage.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) { this.#zoom(Math.exp(-event.deltaY / 300), { x: event.clientX - box.left, y: event.clientY - box.top }); return; }
      this.#view.x -= event.deltaX;
      this.#view.y -= event.deltaY;
      this.#move();
    }, { passive: false });
    stage.addEventListener("focusin", (event) => {
      const box = event.target.closest(".flow-node");
      if (box && box.dataset.id !== this.#at && !this.#drag) this.#choose(box.dataset.id);
    });
    stage.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("keydown", (event) => { if (event.key === "Escape" && !this.side.hidden && this.side.contains(event.target)) { event.preventDefault(); this.#close(); } });
    this.side.addEventListener("submit", (event) => this.#submit(event));
    this.side.addEventListener("click", (event) => { if (event.target.closest("[data-leave]")) { event.preventDefault(); this.#close(); } });
    this.addEventListener("click", (event) => {
      const type = event.target.closest(".flow-palette .flow-type");
      if (type) this.#added(type);
      const problem = event.target.closest("#problems a");
      if (problem && this.stage.clientWidth && !event.ctrlKey && !event.metaKey) {
        const { node } = problem.dataset;
        if (new URL(problem.href).pathname === this.#graph.step) { event.preventDefault(); this.#edit(node || this.#graph.nodes.find((found) => found.type === "trigger")?.id, problem.href); }
      }
    });
    const palette = one("#flow-palette", this);
    palette.addEventListener("input", (event) => this.#sift(event.target.value));
    palette.addEventListener("keydown", (event) => {
      const types = all(".flow-type", palette).filter((type) => !type.hidden), here = types.indexOf(document.activeElement);
      if (event.key === "Enter" && here < 0 && types.length) {
        event.preventDefault();
        const wanted = event.target.value.trim().toLowerCase();
        (types.find((type) => one("b", type).textContent.toLowerCase().startsWith(wanted)) ?? types[0]).click();
      }
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by && types.length) { event.preventDefault(); (here + by < 0 ? one("input", palette) : types[Math.min(here + by, types.length - 1)]).focus(); }
    });
    window.addEventListener("beforeunload", (event) => { if (this.#dirty) { this.#save(); event.preventDefault(); } });
    // What is published is what was drawn last.
    document.addEventListener("submit", async (event) => {
      if (!this.isConnected || !this.#dirty || this.side.contains(event.target) || event.target.closest("dialog")) return;
      const { target, submitter } = event;
      event.preventDefault();
      if (await this.#save()) target.requestSubmit(submitter);
    }, true);
  }

  #key(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const told = () => { event.preventDefault(); event.stopPropagation(); };
    if ((event.ctrlKey || event.metaKey) && key === "z") { told(); if (event.shiftKey) this.#again(this.#after, this.#before); else this.#again(this.#before, this.#after); return; }
    if ((event.ctrlKey || event.metaKey) && key === "y") { told(); this.#again(this.#after, this.#before); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key.startsWith("Arrow")) {
      told();
      if (event.shiftKey && this.may && this.#at) {
        this.#keep();
        const { position } = this.#node(this.#at);
        position.x += { ArrowLeft: -STEP, ArrowRight: STEP }[key] ?? 0;
        position.y += { ArrowUp: -STEP, ArrowDown: STEP }[key] ?? 0;
        this.#changed();
        this.#choose(this.#at);
        return;
      }
      const next = this.#beside(key);
      if (next) this.#choose(next);
      return;
    }
    if (key === "Enter" || key === " ") {
      if (event.target.closest(".flow-port")) return;
      told();
      if (this.#link) { const { node, handle } = this.#link; this.#link = null; if (this.#at && this.#at !== node) this.#connect(node, handle, this.#at); this.#choose(this.#at); return; }
      if (this.#at) this.#edit(this.#at);
      return;
    }
    if (key === "Escape") { told(); this.#link = null; this.#edge = ""; this.#say(""); this.#choose(this.#at); return; }
    const deed = { a: () => this.#add(this.#at), c: () => this.#pull(), Delete: () => this.#delete(), Backspace: () => this.#delete(), t: () => this.may && this.#tidy(), f: () => this.#fit(), "+": () => this.#zoom(1.2), "=": () => this.#zoom(1.2), "-": () => this.#zoom(1 / 1.2), "?": () => this.#help() }[key];
    if (deed) { told(); deed(); }
  }

  // Begins a connection by keys; pressed again, it takes the next way on.
  #pull() {
    const id = this.#link?.node ?? this.#at, ways = this.#graph.shown[id]?.ways ?? [];
    if (!this.may || !ways.length) return;
    const place = this.#link ? (ways.findIndex(([name]) => name === this.#link.handle) + 1) % ways.length : 0;
    this.#link = { node: id, handle: ways[place][0] };
    this.#say(`${ways[place][1]}: choose the step by the arrows, then press Enter${ways.length > 1 ? "; C for another way" : ""}`);
  }

  // Pointers: one drags, connects or pans, two zoom.

  #down(event) {
    if (event.pointerType === "mouse" && event.button > 1) return;
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.#pointers.size === 2) { this.#drag = null; this.#link = null; return; }
    const port = event.target.closest(".flow-port"), box = event.target.closest(".flow-node"), edge = event.target.closest("[data-edge]");
    const from = { x: event.clientX, y: event.clientY, id: event.pointerId };
    if (port) this.#drag = { ...from, port, kind: "link" };
    else if (box) this.#drag = { ...from, kind: "node", node: this.#node(box.dataset.id), start: { ...this.#node(box.dataset.id).position } };
    else if (edge) { this.#at = ""; this.#edge = edge.dataset.edge; this.#choose("", false); this.stage.focus(); event.preventDefault(); }
    else this.#drag = { ...from, kind: "pan", start: { ...this.#view } };
  }

  #carry(event) {
    const known = this.#pointers.get(event.pointerId);
    if (!known) return;
    if (this.#pointers.size === 2) { this.#pinch(event, known); return; }
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    if (!drag.moved) {
      if (Math.hypot(x, y) < FAR) return;
      drag.moved = true;
      this.stage.setPointerCapture(drag.id);
      if (drag.kind === "node" && this.may) this.#keep();
    }
    if (drag.kind === "pan") { this.stage.classList.add("panning"); this.#view = { ...drag.start, x: drag.start.x + x, y: drag.start.y + y }; this.#move(); }
    if (drag.kind === "node" && this.may) {
      drag.node.position = { x: Math.round(drag.start.x + x / this.#view.scale), y: Math.round(drag.start.y + y / this.#view.scale) };
      this.#put();
    }
    if (drag.kind === "link") {
      this.#link = { node: drag.port.dataset.node, handle: drag.port.dataset.handle, to: this.#spot(event) };
      const over = this.#under(event);
      for (const [id, box] of this.#elements) box.classList.toggle("target", id === over && id !== this.#link.node);
      this.#edges();
    }
  }

  #pinch(event, known) {
    const [a, b] = [...this.#pointers.values()], before = Math.hypot(a.x - b.x, a.y - b.y);
    Object.assign(known, { x: event.clientX, y: event.clientY });
    const now = Math.hypot(a.x - b.x, a.y - b.y), box = this.stage.getBoundingClientRect();
    if (before > 0) this.#zoom(now / before, { x: (a.x + b.x) / 2 - box.left, y: (a.y + b.y) / 2 - box.top });
  }

  #under(event) {
    const { x, y } = this.#spot(event);
    return this.#graph.nodes.find(({ id, position }) => x >= position.x && x <= position.x + WIDE && y >= position.y && y <= position.y + this.#box(id).offsetHeight)?.id;
  }

  #up(event) {
    this.#pointers.delete(event.pointerId);
    const drag = this.#drag;
    if (!drag || drag.id !== event.pointerId) return;
    this.#drag = null;
    this.stage.classList.remove("panning");
    if (drag.kind === "node") {
      if (!drag.moved) this.#edit(drag.node.id);
      else if (this.may) this.#changed();
    }
    if (drag.kind === "pan" && !drag.moved) { this.#edge = ""; this.#at = ""; this.#close(); this.#choose("", false); }
    if (drag.kind === "link") {
      const { node, handle } = drag.port.dataset, over = drag.moved ? this.#under(event) : "";
      this.#link = null;
      if (!drag.moved) this.#add(node, handle);
      else if (over && over !== node) this.#connect(node, handle, over);
      else { const { x, y } = this.#spot(event); this.#add(node, handle, { x: Math.round(x - WIDE / 2), y: Math.round(y) }); }
      this.#choose(this.#at, false);
    }
  }

  #end(event) {
    this.#pointers.delete(event.pointerId);
    this.#drag = this.#link = null;
    this.stage.classList.remove("panning");
    this.#put();
  }
}

function curve(from, to) {
  const bend = Math.max(24, Math.abs(to.y - from.y) / 2);
  return `M${from.x} ${from.y}C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`;
}

// Returns a page of the service, or null.
async function read(address, options = {}) {
  try {
    const answer = await fetch(address, { ...options, headers: { "HX-Request": "true" } });
    if (!answer.ok && answer.status !== 422) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch { return null; }
}

customElements.define("lw-flow", Flow);
fitAll();
