// Keys for readers, help on them, and copy buttons.

const GOING = { e: "episodes", t: "topics", l: "links", n: "names" };
const all = (selector) => [...document.querySelectorAll(selector)];
let going, off;
try { off = localStorage.keys; } catch {} // blocked

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || all("dialog[open]")[0]) return;
  if (target.closest("input:not(.dial), textarea, select")) {
    if (key === "Escape") {
      event.preventDefault(); // which empties the search field, but not the list
      target.blur();
    }
    return;
  }
  // The player hears keys after this.
  if (off && /^\S$/.test(key)) return event.stopImmediatePropagation();
  if (GOING[key] && Date.now() - going < 1500) all(`nav a[href="/${GOING[key]}/"]`)[0]?.click();
  going = key === "g" && Date.now();
  const by = { j: 1, k: -1 }[key];
  const links = all("article:not([hidden]) h2 a, .references li > p > a");
  if (by) links[Math.max(0, links.indexOf(target) + by)]?.focus();
  if (key === "o") target.closest("main a")?.click();
  if (key === "?") all("#keys")[0].showModal();
  if (key === "/") {
    event.preventDefault();
    all("#q")[0].select();
  }
});

function ready() {
  for (const box of all(".switch input")) {
    box.checked = !off;
    box.onchange = () => {
      off = box.checked ? "" : "off";
      try { localStorage.keys = off; } catch {}
    };
  }
  for (const text of all("[data-copy]:not(:has(+ .copy))")) {
    text.insertAdjacentHTML("afterend", ` <button class="copy">Copy ${text.dataset.copy}</button>`);
    const button = text.nextElementSibling;
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(text.textContent.trim());
        button.textContent = "Copied";
      } catch { getSelection().selectAllChildren(text); }
    };
  }
}
document.addEventListener("swapped", ready);
ready();

// Pages that were read can be read again without a network. The first comes before the worker does: it is asked for again, with
// all that it needs.
const worker = navigator.serviceWorker;
if (worker && !worker.controller) worker.oncontrollerchange = () => {
  for (const { name } of performance.getEntries()) if (name.startsWith(location.origin)) fetch(name).catch(() => {});
};
worker?.register("/sw.js").catch(() => {}); // blocked, or the page is left before
