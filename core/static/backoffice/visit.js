// Closes the list of a visit's records on narrow screens, where it would hide the page.
if (window.innerWidth < 768) document.querySelector(".visit-nav details").open = false;
