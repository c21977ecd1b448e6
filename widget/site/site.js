// The documentation's own pages: questions go to the widget, which is on them as on anybody's.
"use strict";

const ask = (question) => window.Footnote?.ask(question);

document.querySelector("[data-ask]")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const field = event.target.elements.question;
  ask(field.value);
  field.value = "";
});

for (const button of document.querySelectorAll("[data-question]"))
  button.addEventListener("click", () => ask(button.textContent));

// Beside the text where there is room for it, behind a button where there is not.
const menu = document.querySelector(".menu");
const room = matchMedia("(min-width: 60rem)");
const fit = () => { menu.open = room.matches; };
room.addEventListener("change", fit);
fit();
