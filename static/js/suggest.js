// The form for a correction shows what concerns the chosen field: its present value, and the words or topics to type.

function draw() {
  const form = document.querySelector("form.suggest");
  if (!form) return;
  const field = form.elements.field.value;
  for (const row of form.querySelectorAll("[data-field]")) row.hidden = row.dataset.field !== field;
  const shown = {
    ".now": form.querySelector(".now [data-field]:not([hidden])"),
    ".field-wrong": field === "words",
    ".of-topics": field.endsWith("topic"),
  };
  for (const [selector, is] of Object.entries(shown)) {
    for (const part of form.querySelectorAll(selector)) part.hidden = !is;
  }
}
document.addEventListener("change", draw);
document.addEventListener("swapped", draw);
draw();
