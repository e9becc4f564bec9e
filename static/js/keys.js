// Keys for readers, help on them, copy buttons, and pages without a network.

const GOTO_LINKS = { e: "episodes", t: "topics", l: "links", n: "names" }; // behind "g"
const GOTO_MILLISECONDS = 1500; // in which the second key must follow

const findAll = (selector) => [...document.querySelectorAll(selector)];
const find = (selector) => document.querySelector(selector);
let gotoTime = 0; // when "g" was pressed, or 0 if the last key was another
let areKeysOff = false;
try { areKeysOff = localStorage.keys === "off"; } catch {} // storage is blocked

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || find("dialog[open]")) return;
  if (target.closest("input:not(.dial), textarea, select")) {
    if (key === "Escape") leaveField(event);
    return;
  }
  const isCharacter = /^\S$/.test(key);
  if (areKeysOff && isCharacter) {
    event.stopImmediatePropagation(); // the player listens for keys after this script
    return;
  }
  if (Date.now() - gotoTime < GOTO_MILLISECONDS && GOTO_LINKS[key]) find(`nav a[href="/${GOTO_LINKS[key]}/"]`)?.click();
  gotoTime = key === "g" ? Date.now() : 0;
  if (key === "j") focusLink(target, 1);
  if (key === "k") focusLink(target, -1);
  if (key === "o") target.closest("main a")?.click();
  if (key === "?") find("#keys").showModal();
  if (key === "/") {
    event.preventDefault();
    find("#q").select();
  }
});

function leaveField(event) {
  event.preventDefault(); // browsers would empty a search field, but not its list
  event.target.blur();
}

// Focus the title of the next or the previous entry of a list.
function focusLink(focused, by) {
  const links = findAll("article:not([hidden]) h2 a, .references li > p > a");
  const index = Math.max(0, links.indexOf(focused) + by);
  links[index]?.focus();
}

function preparePage() {
  findAll(".switch input").forEach(prepareSwitch);
  findAll("[data-copy]:not(:has(+ .copy))").forEach(addCopyButton);
}

function prepareSwitch(box) {
  box.checked = !areKeysOff;
  box.onchange = () => {
    areKeysOff = !box.checked;
    try { localStorage.keys = areKeysOff ? "off" : ""; } catch {}
  };
}

function addCopyButton(text) {
  text.insertAdjacentHTML("afterend", ` <button class="copy">Copy ${text.dataset.copy}</button>`);
  const button = text.nextElementSibling;
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text.textContent.trim());
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
    }
  };
}
document.addEventListener("swapped", preparePage);
preparePage();

// The service worker keeps pages for reading without a network. It begins after the first page of a visit, so that page
// is fetched again, with all that it needs.
const { serviceWorker } = navigator;
if (serviceWorker && !serviceWorker.controller) {
  serviceWorker.oncontrollerchange = () => {
    const addresses = performance.getEntries().map(({ name }) => name);
    for (const address of addresses) if (address.startsWith(location.origin)) fetch(address).catch(() => {});
  };
}
serviceWorker?.register("/sw.js").catch(() => {}); // it is blocked, or the reader has left the page
