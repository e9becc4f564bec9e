// Keys for readers, help on them, and copy buttons. Every page is complete without.

const GOING = { e: "episodes", t: "topics", l: "links", n: "names" };
const field = document.querySelector("#q");
const help = document.querySelector("#keys");
let going = 0;

function step(by) {
  const links = [...document.querySelectorAll("article:not([hidden]) h2 a, .references li > p > a")];
  links[Math.max(0, links.indexOf(document.activeElement) + by)]?.focus();
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (target.closest("input, textarea, select")) {
    if (key === "Escape") target.blur();
    return;
  }
  if (GOING[key] && Date.now() - going < 1500) location.assign(`/${GOING[key]}/`);
  going = key === "g" && Date.now();
  if (key === "j") step(1);
  if (key === "k") step(-1);
  if (key === "o") target.closest("main a")?.click();
  if (key === "?") help.showModal();
  if (key === "/") {
    event.preventDefault();
    field.select();
  }
});

for (const text of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = `Copy ${text.dataset.copy}`;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      button.textContent = "Copied";
    } catch { getSelection().selectAllChildren(text); }
  };
  text.after(" ", button);
}
