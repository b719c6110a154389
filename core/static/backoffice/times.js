// Writes times in the reader's own zone: the exact one is the tooltip, and on a record's page the text.
(() => {
  "use strict";
  const said = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

  const write = (root) => {
    for (const time of root.querySelectorAll("time.backoffice-time:not([data-here])")) {
      const at = new Date(time.dateTime);
      if (isNaN(at)) continue;
      time.dataset.here = "";
      time.title = whole.format(at);
      if ("exact" in time.dataset) time.textContent = said.format(at);
    }
  };
  document.addEventListener("DOMContentLoaded", () => write(document));
  document.addEventListener("htmx:afterSwap", (event) => write(event.target));
})();
