/* The registration form: fills in the time zone and the language of the browser, which nobody should have to type. */
for (const form of document.forms) {
  const { timezone, language } = form.elements;
  if (timezone && language) {
    timezone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
    language.value = navigator.language || "";
  }
}
