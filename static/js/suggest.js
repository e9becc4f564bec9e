// Shows the rows of the suggestion form that concern the chosen field: its present value, the words, the topics.

function showRowsOfField() {
  const form = document.querySelector("form.suggest");
  if (!form) return;
  const field = form.elements.field.value;
  for (const row of form.querySelectorAll("[data-field]")) row.hidden = row.dataset.field !== field;
  const hasPresentValue = form.querySelector(".now [data-field]:not([hidden])");
  const visibilities = {
    ".now": hasPresentValue,
    ".field-wrong": field === "words",
    ".of-topics": field.endsWith("topic"),
  };
  for (const [selector, isVisible] of Object.entries(visibilities)) {
    for (const part of form.querySelectorAll(selector)) part.hidden = !isVisible;
  }
}
document.addEventListener("change", showRowsOfField);
document.addEventListener("swapped", showRowsOfField);
showRowsOfField();
