// Share an episode: by the device's own menu, else by copying the link. Where neither works, the link opens to be copied.

document.addEventListener("click", async (event) => {
  const summary = event.target.closest(".sharing > summary");
  if (!summary) return;
  event.preventDefault();
  const { parentElement: box, nextElementSibling: field } = summary;
  try {
    if (navigator.share) {
      await navigator.share({ title: box.dataset.title, url: field.value });
      return;
    }
    await navigator.clipboard.writeText(field.value);
    summary.textContent = "Link copied";
  } catch (fault) {
    if (fault.name === "AbortError") return; // the reader closed the menu
    box.open = true;
    field.select();
  }
});
