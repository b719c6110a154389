// Shows the times of a booking page by the clock of the visitor's device, unless the address names a time zone.
"use strict";

(() => {
  const form = document.querySelector("form.booking-zone");
  const parameters = new URLSearchParams(location.search);
  if (!form || parameters.has("tz")) return;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && zone !== form.dataset.zone) { // a name that is not listed, such as an old one, is understood too
    parameters.set("tz", zone);
    location.replace(`${location.pathname}?${parameters}`);
  }
})();
