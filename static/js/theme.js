// Applies the theme that the reader chose before anything is drawn. It is the only script that a page waits for.
// Django's admin keeps its choice under the same name.

{
  let theme = "auto";

  const applyTheme = () => {
    try { theme = localStorage.theme ?? theme; } catch {} // storage is blocked
    document.documentElement.dataset.theme = theme;
    for (const control of document.querySelectorAll(".theme")) {
      control.hidden = false;
      control.querySelector("select").value = theme;
    }
  };
  applyTheme();
  // When the page is parsed, comes from the browser's cache, or changes in place, and when another tab has chosen.
  for (const name of ["DOMContentLoaded", "pageshow", "swapped", "storage"]) addEventListener(name, applyTheme, true);

  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".theme select")) return;
    theme = target.value;
    try { localStorage.theme = theme; } catch {} // it holds for this page
    applyTheme();
  });
}
