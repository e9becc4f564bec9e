// Keys for the curators: whatever carries data-key is pressed or focused by it. Every screen is complete without.
"use strict";

const typing = (node) => node.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
const current = () => document.querySelector(".inbox > .at");

// Of the rows of an inbox only the current one has keys; its letters come before those of the page.
function keyed() {
  const all = [...document.querySelectorAll("[data-key]")], row = current();
  return [...(row ? row.querySelectorAll("[data-key]") : []), ...all.filter((node) => !node.closest(".inbox"))];
}

function rows() {
  return [...document.querySelectorAll("#result_list tbody tr, .changes > li, .need, .results > li, .inbox > li")];
}

function step(by) {
  const all = rows();
  if (!all.length) return;
  const now = all.findIndex((row) => row.classList.contains("at"));
  const next = all[Math.min(all.length - 1, Math.max(0, now < 0 ? 0 : now + by))];
  all.forEach((row) => row.classList.toggle("at", row === next));
  (next.matches("a") ? next : next.querySelector("th a, td a, a") || next).focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

function words(node) {
  const named = (node.closest("label") || node).cloneNode(true);
  for (const key of named.querySelectorAll("kbd")) key.remove();
  return (node.getAttribute("aria-label") || named.textContent).replace(/\s+/g, " ").trim().slice(0, 60);
}

function help() {
  const there = document.getElementById("keys");
  if (there && there.open) return there.close();
  if (there) there.remove();
  const dialog = document.createElement("dialog");
  dialog.id = "keys";
  const title = document.createElement("h2");
  title.textContent = "Keys";
  const list = document.createElement("dl");
  const known = keyed().map((node) => [node.dataset.key, words(node)]);
  const general = [["j / k", "next, previous row"], ["Enter", "open the row"], ["g h", "start page"], ["g i", "inbox"], ["?", "this help"], ["Esc", "close, or leave a field"]];
  for (const [key, what] of [...known, ...general]) {
    const term = document.createElement("dt");
    const kbd = document.createElement("kbd");
    kbd.textContent = key;
    term.append(kbd);
    const meaning = document.createElement("dd");
    meaning.textContent = what;
    list.append(term, meaning);
  }
  dialog.append(title, list);
  document.body.append(dialog);
  dialog.showModal();
}

let pending = "";
document.addEventListener("keydown", (event) => {
  const key = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key;
  if (event.altKey || (typing(event.target) && !key.startsWith("ctrl+"))) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const open = document.getElementById("keys");
  if (open && open.open) {
    if (key === "?") { event.preventDefault(); open.close(); }
    return;
  }
  const went = pending + key;
  pending = "";
  if (key === "?") { event.preventDefault(); return help(); }
  if (key === "j" || key === "k") { event.preventDefault(); return step(key === "j" ? 1 : -1); }
  if (current() && (key === "ArrowDown" || key === "ArrowUp")) { event.preventDefault(); return step(key === "ArrowDown" ? 1 : -1); }
  if (current() && key === "Enter" && event.target === document.body) return current().querySelector("a").click();
  if (key === "g") { pending = "g"; return; }
  if (went !== key) {
    const leads = { gh: "#site-name a", gi: "#inbox-link" };
    const link = went in leads && document.querySelector(leads[went]);
    if (link) window.location.assign(link.href);
    return;
  }
  const node = keyed().find((one) => one.dataset.key === key);
  if (!node || node.disabled) return;
  event.preventDefault();
  if (typing(node)) node.focus(); else node.click();
});

// The line about work that goes on appears after five seconds, and goes as soon as the work is done.
const working = document.querySelector("[data-working]");
async function look() {
  const answer = await fetch(working.dataset.working);
  working.hidden = !answer.ok || !(await answer.json()).working;
  if (!working.hidden) setTimeout(look, 3000);
}
if (working) setTimeout(look, 5000);

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
  const first = field.value.slice(0, 10);
  if (/^\d{4}-\d\d-\d\d$/.test(first)) picker.value = first;
  picker.addEventListener("change", () => {
    field.value = picker.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const both = document.createElement("span");
  both.className = "with-picker";
  field.replaceWith(both);
  both.append(field, picker);
}

// Below an input that names an episode, topic or person, those that are meant.
const offered = document.createElement("datalist");
offered.id = "offered";
document.addEventListener("input", async (event) => {
  const field = event.target.closest("input[data-offers]"), asked = field && field.value.trim();
  if (!asked || asked.length < 2) return;
  if (!offered.isConnected) document.body.append(offered);
  field.setAttribute("list", offered.id);
  const address = new URL(field.dataset.offers, window.location);
  address.searchParams.set("term", asked);
  const answer = await fetch(address);
  if (!answer.ok || field.value.trim() !== asked) return;
  const { results } = await answer.json();
  offered.replaceChildren(...results.map(({ text }) => new Option(text, text)));
});

// The parts of a path are moved by buttons or keys; their numbers follow. One more row is added as needed.
const parts = document.querySelector(".parts");
if (parts && parts.querySelector("[name$=-ORDER]:not(:disabled)")) {
  const total = document.querySelector("[name$=-TOTAL_FORMS]");
  const number = () => [...parts.children].forEach((part, n) => {
    if (part.querySelector("[name$=-episode]").value) part.querySelector("[name$=-ORDER]").value = n + 1;
  });
  const move = (part, by) => {
    const other = by < 0 ? part.previousElementSibling : part.nextElementSibling;
    if (!other) return;
    other[by < 0 ? "before" : "after"](part);
    number();
    part.querySelector("[name$=-episode]").focus();
  };
  const button = (label, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: label, className: "button quiet", onclick: act });
    return made;
  };
  const blank = parts.lastElementChild.cloneNode(true);
  const ready = (part) => {
    const up = button("↑", () => move(part, -1)), down = button("↓", () => move(part, 1));
    up.setAttribute("aria-label", "Move up");
    down.setAttribute("aria-label", "Move down");
    part.querySelector(".nth").append(up, down);
  };
  [...parts.children].forEach(ready);
  parts.addEventListener("keydown", (event) => {
    if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    move(event.target.closest(".part"), event.key === "ArrowUp" ? -1 : 1);
  });
  parts.after(button("Add a part", () => {
    const part = blank.cloneNode(true);
    part.innerHTML = part.innerHTML.replaceAll(/steps-\d+-/g, `steps-${total.value}-`);
    total.value = Number(total.value) + 1;
    parts.append(part);
    ready(part);
    part.querySelector("[name$=-episode]").focus();
  }));
  document.querySelector(".by-script").hidden = false;
}
