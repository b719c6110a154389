// Writes times in the reader's own zone: the exact one is the tooltip, and on a record's page the text.
(() => {
  "use strict";
  const dateFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
  const whole = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long" });

  const write = (root) => {
    for (const time of root.querySelectorAll("time.backoffice-time:not([data-here])")) {
      const date = new Date(time.dateTime);
      if (isNaN(date)) continue;
      time.dataset.here = "";
      time.title = whole.format(date);
      if ("exact" in time.dataset) time.textContent = dateFormat.format(date);
    }
  };
  document.addEventListener("DOMContentLoaded", () => write(document));
  document.addEventListener("htmx:afterSwap", (event) => write(event.target));
})();
