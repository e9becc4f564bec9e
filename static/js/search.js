// Suggestions below the search box. Without this script the box leads to the list of episodes.

let field;
let options = []; // the suggestions
let selectedIndex = -1; // -1 for the box itself
let requestCount = 0; // only the suggestions of the latest request are shown
let typingTimer;

const list = document.createElement("div");
Object.assign(list, { id: "hits", role: "listbox", ariaLabel: "Suggestions", hidden: true });

function select(index) {
  selectedIndex = index;
  options.forEach((option, optionIndex) => { option.ariaSelected = optionIndex === index; });
  field.setAttribute("aria-activedescendant", options[index]?.id ?? "");
}

function showSuggestions(html) {
  cancelRequest();
  list.innerHTML = html;
  options = [...list.children];
  list.hidden = options.length === 0;
  field.ariaExpanded = !list.hidden;
  select(-1);
}

const hideSuggestions = () => showSuggestions("");

function cancelRequest() {
  clearTimeout(typingTimer);
  requestCount += 1;
}

async function fetchSuggestions() {
  requestCount += 1;
  const requestNumber = requestCount;
  const query = new URLSearchParams({ q: field.value });
  const answer = await fetch(`${field.dataset.suggest}?${query}`).catch(() => {});
  const html = answer?.ok ? await answer.text() : "";
  if (requestNumber === requestCount) showSuggestions(html);
}

// Put the longer query of a suggestion into the box, where the reader types on.
function completeQuery(event) {
  const query = event.target.closest("[data-completion]")?.dataset.completion;
  if (!query) return;
  event.preventDefault();
  field.value = query;
  fetchSuggestions();
}

function prepareField() {
  const fieldOfPage = document.querySelector("#q");
  if (field === fieldOfPage) return;
  if (field) hideSuggestions();
  field = fieldOfPage;
  if (!field.dataset.suggest) return;
  Object.assign(field, { role: "combobox", autocomplete: "off", ariaAutoComplete: "list", ariaExpanded: false });
  field.setAttribute("aria-controls", list.id);
  field.form.append(list);
  field.oninput = () => {
    cancelRequest();
    typingTimer = setTimeout(fetchSuggestions, 150);
  };
  field.onblur = hideSuggestions;
  list.onmousedown = (event) => event.preventDefault(); // keeps the focus in the box
  list.onclick = completeQuery;
}
document.addEventListener("swapped", prepareField);
prepareField();

// Select the next suggestion, or the previous one. The box itself comes before the first and after the last.
function moveSelection(by) {
  const choices = options.length + 1;
  select((selectedIndex + 1 + by + choices) % choices - 1);
}

addEventListener("keydown", (event) => {
  const isShortcut = event.key === "k" && (event.ctrlKey || event.metaKey);
  const isInBox = event.target === field && options.length > 0;
  if (isShortcut) field.select();
  else if (!isInBox) return;
  else if (event.key === "ArrowDown") moveSelection(1);
  else if (event.key === "ArrowUp") moveSelection(-1);
  else if (event.key === "Enter" && options[selectedIndex]) options[selectedIndex].click();
  else if (event.key === "Escape") hideSuggestions();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
