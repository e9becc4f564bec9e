// Keys for the curators: whatever carries data-key is pressed or focused by it. Every screen is complete without.
"use strict";

const takesText = (node) => node.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
const currentRow = () => document.querySelector(".inbox > .at");

// Of the rows of an inbox only the current one has keys; its letters come before those of the page.
function nodesWithKeys() {
  const all = [...document.querySelectorAll("[data-key]")], row = currentRow();
  return [...(row ? row.querySelectorAll("[data-key]") : []), ...all.filter((node) => !node.closest(".inbox"))];
}

function selectableRows() {
  return [...document.querySelectorAll("#result_list tbody tr, .changes > li, .need, .results > li, .inbox > li")];
}

function moveSelection(by) {
  const all = selectableRows();
  if (!all.length) return;
  const now = all.findIndex((row) => row.classList.contains("at"));
  const next = all[Math.min(all.length - 1, Math.max(0, now < 0 ? 0 : now + by))];
  all.forEach((row) => row.classList.toggle("at", row === next));
  (next.matches("a") ? next : next.querySelector("th a, td a, a") || next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function labelOf(node) {
  const label = (node.closest("label") || node).cloneNode(true);
  for (const key of label.querySelectorAll("kbd")) key.remove();
  return (node.getAttribute("aria-label") || label.textContent).replace(/\s+/g, " ").trim().slice(0, 60);
}

function toggleHelp() {
  const shownDialog = document.getElementById("keys");
  if (shownDialog && shownDialog.open) return shownDialog.close();
  if (shownDialog) shownDialog.remove();
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  const title = document.createElement("h2");
  title.textContent = "Keys";
  const list = document.createElement("dl");
  const keysOfPage = nodesWithKeys().map((node) => [node.dataset.key, labelOf(node)]);
  const generalKeys = [["j / k", "next, previous row"], ["Enter", "open the row"], ["g h", "start page"], ["g i", "inbox"], ["?", "this help"], ["Esc", "close, or leave a field"]];
  for (const [key, label] of [...keysOfPage, ...generalKeys]) {
    const term = document.createElement("dt");
    const kbd = document.createElement("kbd");
    kbd.textContent = key;
    term.append(kbd);
    const meaning = document.createElement("dd");
    meaning.textContent = label;
    list.append(term, meaning);
  }
  dialog.append(title, list);
  document.body.append(dialog);
  dialog.showModal();
}

let firstKey = ""; // "g", if it was pressed just before
document.addEventListener("keydown", (event) => {
  const key = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key;
  if (event.altKey || (takesText(event.target) && !key.startsWith("ctrl+"))) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const dialog = document.getElementById("keys");
  if (dialog && dialog.open) {
    if (key === "?") { event.preventDefault(); dialog.close(); }
    return;
  }
  const keys = firstKey + key;
  firstKey = "";
  if (key === "?") { event.preventDefault(); return toggleHelp(); }
  if (key === "j" || key === "k") { event.preventDefault(); return moveSelection(key === "j" ? 1 : -1); }
  if (currentRow() && (key === "ArrowDown" || key === "ArrowUp")) { event.preventDefault(); return moveSelection(key === "ArrowDown" ? 1 : -1); }
  if (currentRow() && key === "Enter" && event.target === document.body) return currentRow().querySelector("a").click();
  if (key === "g") { firstKey = "g"; return; }
  if (keys !== key) {
    const links = { gh: "#site-name a", gi: "#inbox-link" };
    const link = keys in links && document.querySelector(links[keys]);
    if (link) window.location.assign(link.href);
    return;
  }
  const node = nodesWithKeys().find((candidate) => candidate.dataset.key === key);
  if (!node || node.disabled) return;
  event.preventDefault();
  if (takesText(node)) node.focus(); else node.click();
});

// The line about work that goes on appears after five seconds, and goes as soon as the work is done.
const working = document.querySelector("[data-working]");
async function showWhileWorking() {
  const answer = await fetch(working.dataset.working);
  working.hidden = !answer.ok || !(await answer.json()).working;
  if (!working.hidden) setTimeout(showWhileWorking, 3000);
}
if (working) setTimeout(showWhileWorking, 5000);

// One press is one decision: a form that is on its way is not sent again.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.sent) { if (form.dataset.sent) event.preventDefault(); return; }
  form.dataset.sent = "1";
});
window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent));

// What is typed and not saved is not lost by leaving.
let dirty = false;
document.addEventListener("input", (event) => { if (event.target.closest(".episode-form")) dirty = true; });
document.addEventListener("submit", () => { dirty = false; });
window.addEventListener("beforeunload", (event) => { if (dirty) event.preventDefault(); });

// A calendar beside a field that takes a date in words.
for (const field of document.querySelectorAll("input[data-picker]:not([readonly])")) {
  const picker = document.createElement("input");
  picker.type = field.dataset.picker;
  picker.className = "picker";
  picker.setAttribute("aria-label", "Pick a day");
  const day = field.value.slice(0, 10);
  if (/^\d{4}-\d\d-\d\d$/.test(day)) picker.value = day; // such as 2021-09-30
  picker.addEventListener("change", () => {
    field.value = picker.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const wrapper = document.createElement("span");
  wrapper.className = "with-picker";
  field.replaceWith(wrapper);
  wrapper.append(field, picker);
}

// Below an input for an episode, topic or person, the names that match.
const matches = document.createElement("datalist");
matches.id = "matches";
document.addEventListener("input", async (event) => {
  const field = event.target.closest("input[data-offers]");
  const typed = field ? field.value.trim() : "";
  if (typed.length < 2) return;
  if (!matches.isConnected) document.body.append(matches);
  field.setAttribute("list", matches.id);
  const address = new URL(field.dataset.offers, window.location);
  address.searchParams.set("term", typed);
  const answer = await fetch(address);
  if (!answer.ok || field.value.trim() !== typed) return; // typed on meanwhile
  const { results } = await answer.json();
  matches.replaceChildren(...results.map(({ text }) => new Option(text, text)));
});

// The parts of a path are moved by buttons or keys, and their numbers follow. A button adds an empty part.
const parts = document.querySelector(".parts");
if (parts && parts.querySelector("[name$=-ORDER]:not(:disabled)")) {
  const total = document.querySelector("[name$=-TOTAL_FORMS]");
  const renumber = () => [...parts.children].forEach((part, index) => {
    if (part.querySelector("[name$=-episode]").value) part.querySelector("[name$=-ORDER]").value = index + 1;
  });
  const move = (part, by) => {
    const neighbour = by < 0 ? part.previousElementSibling : part.nextElementSibling;
    if (!neighbour) return;
    neighbour[by < 0 ? "before" : "after"](part);
    renumber();
    part.querySelector("[name$=-episode]").focus();
  };
  const makeButton = (label, onclick) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: label, className: "button quiet", onclick });
    return button;
  };
  const blank = parts.lastElementChild.cloneNode(true);
  const addMoveButtons = (part) => {
    const up = makeButton("↑", () => move(part, -1)), down = makeButton("↓", () => move(part, 1));
    up.setAttribute("aria-label", "Move up");
    down.setAttribute("aria-label", "Move down");
    part.querySelector(".nth").append(up, down);
  };
  [...parts.children].forEach(addMoveButtons);
  parts.addEventListener("keydown", (event) => {
    if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    move(event.target.closest(".part"), event.key === "ArrowUp" ? -1 : 1);
  });
  parts.after(makeButton("Add a part", () => {
    const part = blank.cloneNode(true);
    part.innerHTML = part.innerHTML.replaceAll(/steps-\d+-/g, `steps-${total.value}-`);
    total.value = Number(total.value) + 1;
    parts.append(part);
    addMoveButtons(part);
    part.querySelector("[name$=-episode]").focus();
  }));
  document.querySelector(".by-script").hidden = false;
}
