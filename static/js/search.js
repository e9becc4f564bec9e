// Suggestions under the search box. Without, it leads to the list of episodes.

let field;
const box = document.createElement("div");
let options = [], at = -1, newest = 0, waiting;

const mark = (place) => {
  at = place;
  options.forEach((option, n) => { option.ariaSelected = n === at; });
  field.setAttribute("aria-activedescendant", options[at]?.id ?? "");
};

const show = (html = "") => {
  clearTimeout(waiting);
  newest += 1;
  box.innerHTML = html;
  options = [...box.children];
  box.hidden = !options[0];
  field.ariaExpanded = !box.hidden;
  mark(-1);
};

const suggest = async () => {
  const mine = ++newest;
  const answer = await fetch(`${field.dataset.suggest}?${new URLSearchParams({ q: field.value })}`).catch(() => {});
  const html = answer?.ok ? await answer.text() : "";
  if (mine === newest) show(html);
};

// A longer query goes into the box, to be typed on.
const complete = (event) => {
  const query = event.target.closest("[data-completion]")?.dataset.completion;
  if (!query) return;
  event.preventDefault();
  field.value = query;
  suggest();
};

Object.assign(box, { id: "hits", role: "listbox", ariaLabel: "Suggestions", hidden: true });

function ready() {
  const found = document.querySelector("#q");
  if (field === found) return;
  if (field) show();
  field = found;
  if (!field.dataset.suggest) return;
  Object.assign(field, { role: "combobox", autocomplete: "off", ariaAutoComplete: "list", ariaExpanded: false });
  field.setAttribute("aria-controls", box.id);
  field.form.append(box);
  field.oninput = () => {
    clearTimeout(waiting);
    newest += 1; // what is asked for is out of date
    waiting = setTimeout(suggest, 150);
  };
  field.onblur = () => show();
  box.onmousedown = (event) => event.preventDefault(); // keeps the focus in the box
  box.onclick = complete;
}
document.addEventListener("swapped", ready);
ready();

addEventListener("keydown", (event) => {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const places = options.length + 1; // one is the box itself
  if (event.key === "k" && (event.ctrlKey || event.metaKey)) field.select();
  else if (event.target !== field || !options[0]) return;
  else if (by) mark((at + 1 + by + places) % places - 1);
  else if (event.key === "Enter" && options[at]) options[at].click();
  else if (event.key === "Escape") show();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
