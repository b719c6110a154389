// Shows the times of a booking page by the clock of the visitor's device, unless the address names a time zone.
"use strict";

(() => {
  const form = document.querySelector("form.booking-zone");
  const asked = new URLSearchParams(location.search);
  if (!form || asked.has("tz")) return;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (here && here !== form.dataset.zone) { // a name that is not listed, such as an old one, is understood too
    asked.set("tz", here);
    location.replace(`${location.pathname}?${asked}`);
  }
})();
