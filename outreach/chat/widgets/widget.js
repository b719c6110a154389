// The chat of a website. It stands in a shadow root, makes its parts by the DOM alone and its styles by a constructed
// sheet, so that the strictest policy of the page needs nothing but this script's origin in script-src and connect-src.
(() => {
  "use strict";
  const script = document.currentScript || document.querySelector('script[src*="/widget/"]');
  const place = script && /^(.*)\/widget\/(\w+)\.js$/.exec(new URL(script.src).origin + new URL(script.src).pathname);
  if (!place || document.querySelector("leadwright-chat")) return;
  const api = `${place[1]}/api/public/widget/${place[2]}/`, stored = `leadwright-${place[2]}`;
  const preview = script.hasAttribute("data-preview");
  let config, t, visitor = "", after = null, timer = 0, wait = 0, open = false, busy = false, ended = false;
  const seen = new Map(), waiting = [];

  const CSS = `
:host{all:initial;--bg:#fff;--fg:#1b1f24;--soft:#f1f3f5;--line:#868e96;--bad:#b42318}
@media (prefers-color-scheme:dark){:host{--bg:#1c1f24;--fg:#f1f3f5;--soft:#2b3038;--line:#8b949e;--bad:#ff9b8f}}
*{box-sizing:border-box;font:inherit;color:inherit}
[hidden]{display:none!important}
.all{font:16px/1.45 system-ui,sans-serif;color:var(--fg)}
.launch{position:fixed;bottom:20px;width:56px;height:56px;border:0;border-radius:50%;background:var(--c);color:var(--on);
cursor:pointer;box-shadow:0 2px 12px #0005;z-index:2147483000;padding:15px}
.right .launch,.right .panel{right:20px}.left .launch,.left .panel{left:20px}
.count{position:absolute;top:-4px;right:-4px;min-width:22px;padding:0 6px;border-radius:11px;background:#b42318;color:#fff;
font-size:13px;line-height:22px}
.panel{position:fixed;bottom:88px;width:360px;height:min(560px,calc(100vh - 108px));display:flex;flex-direction:column;
background:var(--bg);border:1px solid var(--line);border-radius:12px;overflow:hidden;box-shadow:0 4px 24px #0004;z-index:2147483001}
header{display:flex;align-items:center;gap:8px;padding:10px 8px 10px 16px;background:var(--c);color:var(--on)}
h2{flex:1;margin:0;font-size:17px;font-weight:600;overflow-wrap:anywhere}
.x{width:44px;height:44px;border:0;background:none;cursor:pointer;padding:12px}
.log{flex:1;overflow-y:auto;padding:16px;display:flex;flex-direction:column;gap:10px;overscroll-behavior:contain}
.msg{max-width:85%;padding:8px 12px;border-radius:12px;background:var(--soft);overflow-wrap:anywhere;white-space:pre-wrap;
align-self:flex-start}
.msg.visitor{align-self:flex-end;background:var(--c);color:var(--on)}
.by{display:block;font-size:13px}
.note{margin:0;padding:0 16px 8px;font-size:14px}.bad{color:var(--bad)}
form{display:flex;gap:8px;padding:12px;border-top:1px solid var(--line)}
form.ask{flex:1;flex-direction:column;overflow-y:auto;border:0;padding:16px;gap:12px}
label{display:block;font-size:14px}
input,textarea{display:block;width:100%;margin-top:4px;padding:9px 11px;border:1px solid var(--line);border-radius:8px;background:var(--bg);
font-size:16px;resize:none}
textarea{flex:1;margin:0;min-height:44px;max-height:120px}.ask textarea{flex:none;min-height:110px}
.go{min-height:44px;padding:8px 16px;border:0;border-radius:8px;background:var(--c);color:var(--on);cursor:pointer;font-weight:600}
.again{border:0;background:none;text-decoration:underline;cursor:pointer;padding:4px}
:focus-visible{outline:3px solid var(--fg);outline-offset:2px}header :focus-visible{outline-color:var(--on)}
@media (max-width:480px){.panel,.right .panel,.left .panel{inset:0;width:auto;height:auto;border:0;border-radius:0}}`;

  const el = (tag, props = {}, ...inside) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value === true) node.setAttribute(name, "");
      else if (value !== false && value != null) node.setAttribute(name, value);
    }
    node.append(...inside);
    return node;
  };
  const icon = (d) => {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    const props = {
      viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "aria-hidden": "true",
    };
    for (const [name, value] of Object.entries(props)) svg.setAttribute(name, value);
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", d);
    svg.append(path);
    return svg;
  };
  // Black or white, by contrast.
  const onColor = (hex) => {
    const [r, g, b] = [1, 3, 5].map((at) => {
      const v = parseInt(hex.slice(at, at + 2), 16) / 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
  };
  const save = (value) => {
    visitor = value;
    try {
      if (value) localStorage.setItem(stored, value); else localStorage.removeItem(stored);
    } catch { /* the browser keeps nothing: the chat ends with the page */ }
  };
  const newKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  const ask = async (path, body) => {
    const options = body ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) } : {};
    const answer = await fetch(api + path, { ...options, credentials: "omit", cache: "no-store" });
    const data = await answer.json().catch(() => ({}));
    if (answer.ok) return data.data;
    throw Object.assign(new Error(data.warning || data.message || answer.status), { status: answer.status, again: +answer.headers.get("Retry-After") });
  };

  // --- what is shown
  const host = el("leadwright-chat"), root = host.attachShadow({ mode: "open" });
  const log = el("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "0" });
  const status = el("p", { class: "note", role: "status" });
  const count = el("span", { class: "count", hidden: true });
  const launch = el("button", {
    class: "launch", type: "button", "aria-expanded": "false", "aria-controls": "panel", onclick: () => toggle(!open),
  }, icon("M4 5h16v11H9l-5 4z"), count);
  const panel = el("div", { class: "panel", id: "panel", role: "dialog", "aria-modal": "true", "aria-labelledby": "title", hidden: true });
  const all = el("div", { class: "all" }, launch, panel);

  const label = (text, field, required) => el("label", {}, text + (required ? ` (${t.required})` : ""), field);
  const bubble = (message) => {
    let node = seen.get(message._id) || (message.key && seen.get(message.key));
    if (!node) {
      const who = message.by === "visitor" ? t.you : message.by === "bot" ? t.bot : message.name || t.agent;
      node = el("div", { class: `msg ${message.by}`, dir: "auto" }, el("span", { class: "by" }, who), message.text);
      log.append(node);
      log.scrollTop = log.scrollHeight;
    }
    seen.set(message._id, node);
    if (message.key) { seen.set(message.key, node); node.querySelector(".state")?.remove(); }
    return node;
  };
  const notify = (message, bad) => { status.textContent = message; status.classList.toggle("bad", !!bad); };

  // A message while no member is there; one who has come since answers it in a chat.
  const sendOffline = async ({ text, key, ...who }) => {
    try { await ask("offline", { ...who, text, key }); } catch (error) {
      if (!error.message.startsWith("offline:")) throw error;
      save((await ask("start", who)).visitor);
      config.offline = false;
      waiting.push({ key, text });
    }
  };
  const intro = () => {
    const offline = config.offline;
    const fields = [...config.preChat];
    if (offline && !fields.some((field) => field.key === "email")) fields.unshift({ key: "email", type: "email", required: true });
    const inputs = fields.map((field) => [field, el("input", {
      name: field.key, type: field.type === "phone" ? "tel" : field.type, maxlength: 300, required: field.required || (offline && field.key === "email"),
      autocomplete: { name: "name", email: "email", phone: "tel" }[field.key] || "off",
    })]);
    const text = offline && el("textarea", { required: true, maxlength: 2000 });
    const alert = el("p", { class: "note bad", role: "alert" });
    const go = el("button", { class: "go" }, offline ? t.send : t.begin), key = newKey(); // one for all tries
    return el("form", {
      class: "ask", onsubmit: async (event) => {
        event.preventDefault();
        if (busy) return;
        busy = true;
        alert.textContent = "";
        const filled = inputs.filter(([, input]) => input.value.trim());
        const given = {
          answers: Object.fromEntries(filled.map(([field, input]) => [field.key, input.value.trim()])),
          page: location.href.split("#")[0].slice(0, 500),
        };
        try {
          if (preview) await 0;
          else if (offline) await sendOffline({ ...given, text: text.value, key });
          else save((await ask("start", given)).visitor);
          ended = true;
          show();
          send();
        } catch (error) { alert.textContent = error.status ? error.message.replace(/^answers\.\w+: /, "") : t.error; }
        busy = false;
      },
    }, offline ? el("p", { class: "by" }, el("strong", {}, t.offlineTitle), el("br"), t.offlineText) : config.greeting,
      ...inputs.map(([field, input]) => label(field.label || t[field.key], input, input.required)),
      ...(text ? [label(t.message, text, true)] : []), alert, go);
  };

  const chatForm = () => {
    const text = el("textarea", {
      "aria-label": t.placeholder, placeholder: t.placeholder, maxlength: 2000, rows: 1,
      onkeydown: (event) => { if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); } },
    });
    const form = el("form", { onsubmit: (event) => {
      event.preventDefault();
      const value = text.value.trim();
      if (!value) return;
      text.value = "";
      text.focus();
      waiting.push({ key: newKey(), text: value });
      send();
    } }, text, el("button", { class: "go" }, t.send));
    return form;
  };

  // The form that the panel shows: first questions, a message for later, or the chat.
  const show = () => {
    const closing = { class: "x", type: "button", "aria-label": t.close, onclick: () => toggle(false) };
    const head = el("header", {}, el("h2", { id: "title" }, t.title), el("button", closing, icon("M5 5l14 14M19 5L5 19")));
    let inside;
    if (config.offline && !visitor) inside = ended ? [el("p", { class: "log", role: "status" }, t.offlineSent)] : [intro()];
    else if (!visitor && !ended && config.preChat.length) inside = [intro()];
    else inside = [log, status, chatForm()];
    panel.replaceChildren(head, ...inside);
    if (open) focus();
  };
  const focusable = () => [...panel.querySelectorAll("button,input,textarea,[tabindex='0']")].filter((node) => node.getClientRects().length);
  const focus = () => (panel.querySelector("input,textarea") || panel.querySelector("button")).focus();
  const toggle = (isOpen) => {
    open = isOpen;
    panel.hidden = !open;
    launch.setAttribute("aria-expanded", open);
    mark(0);
    if (open) { focus(); log.scrollTop = log.scrollHeight; pollAfter(0); } else launch.focus();
  };
  const mark = (number) => {
    count.hidden = open || !number;
    count.textContent = number || "";
    launch.setAttribute("aria-label", number && !open ? `${t.open}: ${number} ${t.new}` : open ? t.close : t.open);
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); toggle(false); }
    if (event.key !== "Tab") return;
    const stops = focusable(), first = stops[0], last = stops[stops.length - 1], at = root.activeElement;
    if (event.shiftKey ? at === first : at === last) { event.preventDefault(); (event.shiftKey ? last : first).focus(); }
  });

  // --- what is said
  const receive = (data) => {
    save(data.visitor);
    data.messages.forEach(bubble);
    after = data.after;
    wait = data.pause;
    if (open && document.visibilityState === "visible") {
      if (data.unread) ask("read", { visitor }).catch(() => {});
    } else mark(data.unread);
    notify(data.state === "queued" ? t.queued : "");
  };
  const send = async () => {
    if (busy || !waiting.length) return;
    busy = true;
    const message = waiting[0], node = bubble({ _id: message.key, key: message.key, by: "visitor", text: message.text });
    node.querySelector(".state")?.remove();
    const state = el("span", { class: "by state" }, t.sending);
    node.append(state);
    try {
      if (preview) state.remove();
      else {
        if (!visitor) save((await ask("start", { page: location.href.split("#")[0].slice(0, 500) })).visitor);
        receive(await ask("messages", { visitor, text: message.text, key: message.key }));
      }
      waiting.shift();
      busy = false;
      pollAfter(wait);
      send();
    } catch (error) {
      busy = false;
      state.replaceChildren(`${t.failed} `, el("button", { class: "again", type: "button", onclick: send }, t.retry));
      notify(error.status && error.status !== 404 ? error.message : t.error, true);
      if (error.status === 404 && visitor) forget();
    }
  };
  // The next look: soon while somebody waits for an answer, seldom while the panel is closed, never behind another tab.
  const pollAfter = (seconds) => {
    clearTimeout(timer);
    if (preview || !visitor || document.visibilityState === "hidden") return;
    timer = setTimeout(poll, (open ? seconds : Math.max(seconds, 30)) * 1000 * (0.9 + Math.random() * 0.2));
  };
  const forget = () => { save(""); after = null; ended = false; show(); };
  const poll = async () => {
    try { receive(await ask("poll", { visitor, after })); } catch (error) {
      if (error.status === 404) { forget(); return; }
      wait = Math.min(120, Math.max(error.again || 0, (wait || 5) * 2));
    }
    pollAfter(wait);
  };

  const begin = async () => {
    try { config = preview ? JSON.parse(script.dataset.preview) : await ask("config"); } catch { return; } // no widget here
    t = config.texts;
    try { visitor = preview ? "" : localStorage.getItem(stored) || ""; } catch { /* see keep */ }
    const sheet = CSS + `\n.all{--c:${config.color};--on:${onColor(config.color)}}`;
    try {
      const css = new CSSStyleSheet();
      css.replaceSync(sheet);
      root.adoptedStyleSheets = [css];
    } catch { root.append(el("style", {}, sheet)); }
    all.classList.add(config.position);
    log.setAttribute("aria-label", t.log);
    if (config.greeting) log.append(el("div", { class: "msg", dir: "auto" }, config.greeting));
    mark(0);
    show();
    root.append(all);
    document.body.append(host);
    document.addEventListener("visibilitychange", () => pollAfter(0));
    if (visitor) poll();
  };
  if (document.body) begin(); else document.addEventListener("DOMContentLoaded", begin);
})();
