// The theme that the reader chose, before anything is drawn: the only script that a page waits for.
// The admin keeps its choice under the same name.

{
  const root = document.documentElement;
  let theme = "auto";

  const apply = () => {
    try { theme = localStorage.theme ?? theme; } catch {} // blocked
    root.dataset.theme = theme;
    for (const choice of document.querySelectorAll(".theme")) {
      choice.hidden = false;
      choice.querySelector("select").value = theme;
    }
  };
  apply();
  // The page is read, comes back, changed in place, or another tab has chosen.
  for (const name of ["DOMContentLoaded", "pageshow", "swapped", "storage"]) addEventListener(name, apply, true);

  document.addEventListener("change", ({ target }) => {
    if (!target.matches(".theme select")) return;
    theme = target.value;
    try { localStorage.theme = theme; } catch {} // it holds for this page
    apply();
  });
}
