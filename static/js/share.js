// Shares an episode by the device's own menu, else by copying the link. If neither works, a field with the link opens.

document.addEventListener("click", async (event) => {
  const summary = event.target.closest(".sharing > summary");
  if (!summary) return;
  event.preventDefault();
  const { parentElement: details, nextElementSibling: field } = summary;
  try {
    if (navigator.share) {
      await navigator.share({ title: details.dataset.title, url: field.value });
    } else {
      await navigator.clipboard.writeText(field.value);
      summary.textContent = "Link copied";
    }
  } catch (error) {
    const isClosedByReader = error.name === "AbortError";
    if (isClosedByReader) return;
    details.open = true;
    field.select();
  }
});
