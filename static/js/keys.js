// Keys for readers, help on them, and copy buttons.

const GOING = { e: "episodes", t: "topics", l: "links", n: "names" };
const all = (selector) => [...document.querySelectorAll(selector)];
const [field, help] = all("#q, #keys");
let going, off;
try { off = localStorage.keys; } catch {} // blocked

for (const box of all(".switch input")) {
  box.checked = !off;
  box.onchange = () => {
    off = box.checked ? "" : "off";
    try { localStorage.keys = off; } catch {}
  };
}

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (target.closest("input, textarea, select")) {
    if (key === "Escape") {
      event.preventDefault(); // which empties the search field, but not the list
      target.blur();
    }
    return;
  }
  // The player hears keys after this.
  if (off && /^\S$/.test(key)) return event.stopImmediatePropagation();
  if (GOING[key] && Date.now() - going < 1500) location = `/${GOING[key]}/`;
  going = key === "g" && Date.now();
  const by = { j: 1, k: -1 }[key];
  const links = all("article:not([hidden]) h2 a, .references li > p > a");
  if (by) links[Math.max(0, links.indexOf(target) + by)]?.focus();
  if (key === "o") target.closest("main a")?.click();
  if (key === "?") help.showModal();
  if (key === "/") {
    event.preventDefault();
    field.select();
  }
});

for (const text of all("[data-copy]")) {
  text.insertAdjacentHTML("afterend", ` <button class="copy">Copy ${text.dataset.copy}</button>`);
  const button = text.nextElementSibling;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      button.textContent = "Copied";
    } catch { getSelection().selectAllChildren(text); }
  };
}

// Pages that were read can be read again without a network.
navigator.serviceWorker?.register("/sw.js");
