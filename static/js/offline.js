// Saves the pages of whole shows, and lists the pages that this browser keeps for reading without a network (sw.js).

const { serviceWorker } = navigator;
const formatMegabytes = (bytes) => `${Math.max(bytes / 1e6, 0.1).toFixed(1)} MB`;

async function listSavedPages() {
  const list = document.querySelector("#saved");
  if (!list) return;
  const pages = await readSavedPages();
  const offlinePage = document.querySelector(".colophon [href$='/offline/']").href;
  pages.delete(location.href);
  pages.delete(offlinePage);
  if (pages.size > 0) list.replaceChildren(...[...pages].map(makePageRow));
}

// Return the texts of all saved pages by their addresses.
async function readSavedPages() {
  const pages = new Map();
  for (const cacheName of await caches.keys()) {
    const cache = await caches.open(cacheName);
    for (const { url } of await cache.keys()) {
      const answer = await cache.match(url, { ignoreVary: true });
      const isPage = /^text\/html/.test(answer?.headers.get("Content-Type"));
      if (isPage) pages.set(url, await answer.text());
    }
  }
  return pages;
}

function makePageRow([address, text]) {
  const row = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  link.textContent = new DOMParser().parseFromString(text, "text/html").title;
  row.append(link);
  return row;
}

// Return the path of a show's page, and those of its episodes. `episodesAddress` is the first page of their JSON list.
async function pathsOfShow(showPath, episodesAddress) {
  const paths = [showPath];
  for (let address = episodesAddress; address;) {
    const { items, next_url: nextAddress } = await (await fetch(address)).json();
    paths.push(...items.map(({ url }) => new URL(url).pathname));
    address = nextAddress;
  }
  return paths;
}

// Save all pages of a show. A second press of the button stops it.
async function saveShow(button) {
  let isStopped = false;
  button.onclick = () => { isStopped = true; };
  button.textContent = "Saving…";
  await waitForServiceWorker();
  const { start: showPath, pages: episodesAddress } = button.dataset;
  const paths = await pathsOfShow(showPath, episodesAddress);
  let bytes = 0;
  let savedCount = 0;
  for (const path of paths) {
    if (isStopped) break;
    const answer = await fetch(path, { headers: { "X-Keep": "1" } });
    if (!answer.ok) throw answer;
    bytes += (await answer.blob()).size;
    savedCount += 1;
    button.textContent = `Stop (${savedCount} of ${paths.length} pages saved)`;
  }
  prepareButton(button);
  if (isStopped) return;
  button.disabled = true;
  button.textContent = `Saved ${savedCount} pages, ${formatMegabytes(bytes)}`;
}

async function waitForServiceWorker() {
  const isRegistered = await serviceWorker.getRegistration();
  if (!isRegistered) throw new Error("The service worker is blocked.");
  // On the first page of a visit it may not have begun.
  if (!serviceWorker.controller) {
    await new Promise((resolve) => { serviceWorker.addEventListener("controllerchange", resolve); });
  }
}

function prepareButton(button) {
  button.hidden = false;
  button.textContent = "Save for offline";
  button.onclick = async () => {
    try {
      await saveShow(button);
    } catch {
      prepareButton(button);
      button.textContent = "Saving failed. Try again";
    }
    listSavedPages();
  };
}

function preparePage() {
  if (!serviceWorker) return;
  listSavedPages();
  document.querySelectorAll("[data-pages]").forEach(prepareButton);
}
document.addEventListener("swapped", preparePage);
preparePage();
