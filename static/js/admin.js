// Comfort for curators. Every screen is complete without this script.
"use strict";

// --- Keys: the one in `data-key` presses or focuses its element ------------------------------------

const TEXT_FIELDS = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";
const currentRow = () => document.querySelector(".inbox > .at");

// Of the rows of an inbox only the current one has keys. They come before those of the page.
function elementsWithKeys() {
  const row = currentRow();
  const elementsOfRow = row ? row.querySelectorAll("[data-key]") : [];
  const elements = [...document.querySelectorAll("[data-key]")];
  return [...elementsOfRow, ...elements.filter((element) => !element.closest(".inbox"))];
}

function selectableRows() {
  return [...document.querySelectorAll("#result_list tbody tr, .changes > li, .need, .results > li, .inbox > li")];
}

function moveSelection(by) {
  const rows = selectableRows();
  if (rows.length === 0) return;
  const index = rows.findIndex((row) => row.classList.contains("at"));
  const nextIndex = index < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, index + by));
  const nextRow = rows[nextIndex];
  rows.forEach((row) => row.classList.toggle("at", row === nextRow));
  const link = nextRow.matches("a") ? nextRow : nextRow.querySelector("th a, td a, a");
  (link || nextRow).focus({ preventScroll: true });
  nextRow.scrollIntoView({ block: "nearest" });
}

function labelOf(element) {
  const label = (element.closest("label") || element).cloneNode(true);
  for (const key of label.querySelectorAll("kbd")) key.remove();
  const text = element.getAttribute("aria-label") || label.textContent;
  return text.replace(/\s+/g, " ").trim().slice(0, 60);
}

const GENERAL_KEYS = [
  ["j / k", "next, previous row"],
  ["Enter", "open the row"],
  ["g h", "start page"],
  ["g i", "inbox"],
  ["?", "this help"],
  ["Esc", "close, or leave a field"],
];

function toggleHelp() {
  const presentDialog = document.getElementById("keys");
  if (presentDialog && presentDialog.open) {
    presentDialog.close();
    return;
  }
  if (presentDialog) presentDialog.remove();
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  const title = document.createElement("h2");
  title.textContent = "Keys";
  const list = document.createElement("dl");
  const keysOfPage = elementsWithKeys().map((element) => [element.dataset.key, labelOf(element)]);
  for (const [key, label] of [...keysOfPage, ...GENERAL_KEYS]) {
    const term = document.createElement("dt");
    const keycap = document.createElement("kbd");
    keycap.textContent = key;
    term.append(keycap);
    const meaning = document.createElement("dd");
    meaning.textContent = label;
    list.append(term, meaning);
  }
  dialog.append(title, list);
  document.body.append(dialog);
  dialog.showModal();
}

const LINKS_BY_KEYS = { gh: "#site-name a", gi: "#inbox-link" };
let firstKey = ""; // "g", if it was pressed just before

document.addEventListener("keydown", (event) => {
  const key = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key;
  const isTyping = event.target.matches(TEXT_FIELDS) && !key.startsWith("ctrl+");
  if (event.altKey || isTyping) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const helpDialog = document.getElementById("keys");
  const isHelpOpen = helpDialog && helpDialog.open;
  if (isHelpOpen && key !== "?") return;
  const keys = firstKey + key;
  firstKey = "";
  if (key === "?") {
    event.preventDefault();
    toggleHelp();
  } else if (rowStepOf(key)) {
    event.preventDefault();
    moveSelection(rowStepOf(key));
  } else if (currentRow() && key === "Enter" && event.target === document.body) {
    currentRow().querySelector("a").click();
  } else if (key === "g") {
    firstKey = "g";
  } else if (keys in LINKS_BY_KEYS) {
    const link = document.querySelector(LINKS_BY_KEYS[keys]);
    if (link) window.location.assign(link.href);
  } else if (keys === key) {
    pressElementWithKey(event, key);
  }
});

// Return 1 for a key that selects the next row, -1 for the previous row, else 0.
function rowStepOf(key) {
  if (key === "j" || (key === "ArrowDown" && currentRow())) return 1;
  if (key === "k" || (key === "ArrowUp" && currentRow())) return -1;
  return 0;
}

function pressElementWithKey(event, key) {
  const element = elementsWithKeys().find(({ dataset }) => dataset.key === key);
  if (!element || element.disabled) return;
  event.preventDefault();
  if (element.matches(TEXT_FIELDS)) element.focus();
  else element.click();
}

// The line about work in the background shows after five seconds, and goes as soon as the work is done.
const workLine = document.querySelector("[data-working]");
async function showWhileWorking() {
  const answer = await fetch(workLine.dataset.working);
  const isWorking = answer.ok && (await answer.json()).working;
  workLine.hidden = !isWorking;
  if (isWorking) setTimeout(showWhileWorking, 3000);
}
if (workLine) setTimeout(showWhileWorking, 5000);

// A form is sent once, so that two presses are one decision.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  else if (form.method === "post") form.dataset.sent = "1";
});
// The browser may show a sent form again, as it was.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
});

// The browser asks before a reader leaves a form with unsaved changes.
let hasUnsavedChanges = false;
document.addEventListener("input", (event) => {
  if (event.target.closest(".episode-form")) hasUnsavedChanges = true;
});
document.addEventListener("submit", () => { hasUnsavedChanges = false; });
window.addEventListener("beforeunload", (event) => { if (hasUnsavedChanges) event.preventDefault(); });

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

// Below a field for an episode, topic or person: the names that match.
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

// The parts of a learning path are moved by buttons or keys, and their numbers follow. A button adds an empty part.
const parts = document.querySelector(".parts");
const canEditParts = parts && parts.querySelector("[name$=-ORDER]:not(:disabled)");
if (canEditParts) {
  const totalField = document.querySelector("[name$=-TOTAL_FORMS]");
  const blankPart = parts.lastElementChild.cloneNode(true);
  const episodeField = (part) => part.querySelector("[name$=-episode]");

  const renumber = () => [...parts.children].forEach((part, index) => {
    if (episodeField(part).value) part.querySelector("[name$=-ORDER]").value = index + 1;
  });
  const movePart = (part, by) => {
    const neighbour = by < 0 ? part.previousElementSibling : part.nextElementSibling;
    if (!neighbour) return;
    if (by < 0) neighbour.before(part);
    else neighbour.after(part);
    renumber();
    episodeField(part).focus();
  };
  const makeButton = (label, onclick) => {
    const button = document.createElement("button");
    return Object.assign(button, { type: "button", textContent: label, className: "button quiet", onclick });
  };
  const addMoveButtons = (part) => {
    const up = makeButton("↑", () => movePart(part, -1));
    const down = makeButton("↓", () => movePart(part, 1));
    up.setAttribute("aria-label", "Move up");
    down.setAttribute("aria-label", "Move down");
    part.querySelector(".nth").append(up, down);
  };
  const addPart = () => {
    const part = blankPart.cloneNode(true);
    // The names of a form of a Django formset carry its number.
    part.innerHTML = part.innerHTML.replaceAll(/steps-\d+-/g, `steps-${totalField.value}-`);
    totalField.value = Number(totalField.value) + 1;
    parts.append(part);
    addMoveButtons(part);
    episodeField(part).focus();
  };

  [...parts.children].forEach(addMoveButtons);
  parts.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: -1, ArrowDown: 1 };
    if (!event.altKey || !(event.key in steps)) return;
    event.preventDefault();
    movePart(event.target.closest(".part"), steps[event.key]);
  });
  parts.after(makeButton("Add a part", addPart));
  document.querySelector(".by-script").hidden = false;
}
