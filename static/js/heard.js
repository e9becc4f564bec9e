// Marks played episodes on their pages, in lists and paths. This device alone keeps them.

const readStored = (key) => { try { return JSON.parse(localStorage[key]); } catch {} };
const store = (key, value) => { try { localStorage[key] = JSON.stringify(value); } catch {} };
const findAll = (selector) => document.querySelectorAll(selector);
const find = (selector) => document.querySelector(selector);

const heardPaths = new Set([].concat(readStored("heard") ?? []));
let isHidingHeard = readStored("hide-heard");

const hideLine = document.createElement("p");
hideLine.className = "meta hide";
hideLine.innerHTML = "<button class=toggle></button><span role=status></span>";
const [hideButton, hideStatus] = hideLine.children;

function draw() {
  drawMarkButton();
  for (const entry of findAll(".entries article, .route li")) {
    const isHeard = heardPaths.has(entry.querySelector("a").pathname);
    entry.classList.toggle("heard", isHeard);
    entry.hidden = isHidingHeard && isHeard && entry.matches("article");
  }
  drawHideLine();
  for (const bar of findAll("progress")) {
    bar.value = bar.closest(".path").querySelectorAll(".heard").length;
    bar.nextElementSibling.textContent = bar.value;
  }
}

// The button on the page of an episode.
function drawMarkButton() {
  const button = find(".meta:not(.hide) .toggle");
  if (!button) return;
  const path = location.pathname;
  const isHeard = heardPaths.has(path);
  Object.assign(button, { hidden: false, ariaPressed: isHeard, onclick: () => markEpisode(path, !isHeard) });
  button.textContent = isHeard ? "Played" : "Mark as played";
}

// The line above a list with played episodes.
function drawHideLine() {
  const entries = findAll(".entries article");
  const heardCount = findAll("article.heard").length;
  hideButton.ariaPressed = Boolean(isHidingHeard);
  hideButton.textContent = `Hide played (${heardCount})`;
  hideStatus.textContent = isHidingHeard ? `${heardCount} of ${entries.length} on this page are hidden.` : "";
  if (heardCount === 0) hideLine.remove();
  else if (!hideLine.isConnected) entries[0].before(hideLine);
}

function markEpisode(path, isHeard) {
  if (isHeard) heardPaths.add(path);
  else heardPaths.delete(path);
  store("heard", [...heardPaths]);
  draw();
}

hideButton.onclick = () => {
  isHidingHeard = !isHidingHeard;
  store("hide-heard", isHidingHeard);
  draw();
};
document.addEventListener("heard", ({ detail: path }) => markEpisode(path, true));
document.addEventListener("swapped", draw);
draw();
