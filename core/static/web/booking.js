// Shows the times of a booking page by the clock of the visitor's device, unless the address names a time zone.
"use strict";

(() => {
  const form = document.querySelector("form.booking-zone");
  const asked = new URLSearchParams(location.search);
  if (!form || asked.has("tz")) return;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const known = [...form.elements.tz.options].some((one) => one.value === here);
  if (known && here !== form.dataset.zone) {
    asked.set("tz", here);
    location.replace(`${location.pathname}?${asked}`);
  }
})();
