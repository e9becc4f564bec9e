// Saves the pages of whole shows, and lists the pages that this browser keeps for want of a network (sw.js).

const worker = navigator.serviceWorker;
const megabytes = (bytes) => `${Math.max(bytes / 1e6, 0.1).toFixed(1)} MB`;

async function listSaved() {
  const saved = document.querySelector("#saved");
  if (!saved) return;
  const pages = new Map();
  for (const name of await caches.keys()) {
    const kept = await caches.open(name);
    for (const { url } of await kept.keys()) {
      const answer = await kept.match(url, { ignoreVary: true });
      if (/^text\/html/.test(answer?.headers.get("Content-Type"))) pages.set(url, await answer.text());
    }
  }
  for (const own of [location.href, document.querySelector(".colophon [href$='/offline/']").href]) pages.delete(own);
  if (pages.size) saved.replaceChildren(...[...pages].map(([url, text]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = url;
    link.textContent = new DOMParser().parseFromString(text, "text/html").title;
    item.append(link);
    return item;
  }));
}

// The show's own page, and those of its episodes.
async function pagesOf(show) {
  const pages = [show.start];
  for (let address = show.pages; address;) {
    const { items, next_url } = await (await fetch(address)).json();
    pages.push(...items.map((one) => new URL(one.url).pathname));
    address = next_url;
  }
  return pages;
}

// One press saves all, another one stops.
async function save(button) {
  let bytes = 0, done = 0, isStopped = false;
  button.onclick = () => { isStopped = true; };
  button.textContent = "Saving…";
  if (!await worker.getRegistration()) throw new Error("blocked");
  // On the first page of a visit the worker may still be on its way.
  if (!worker.controller) await new Promise((come) => { worker.addEventListener("controllerchange", come); });
  const pages = await pagesOf(button.dataset);
  for (const page of pages) {
    if (isStopped) break;
    const answer = await fetch(page, { headers: { "X-Keep": "1" } });
    if (!answer.ok) throw answer;
    bytes += (await answer.blob()).size;
    button.textContent = `Stop (${++done} of ${pages.length} pages saved)`;
  }
  offer(button);
  if (isStopped) return;
  button.disabled = true;
  button.textContent = `Saved ${done} pages, ${megabytes(bytes)}`;
}

function offer(button) {
  button.hidden = false;
  button.textContent = "Save for offline";
  button.onclick = async () => {
    try { await save(button); } catch {
      offer(button);
      button.textContent = "Saving failed. Try again";
    }
    listSaved();
  };
}

function ready() {
  if (!worker) return;
  listSaved();
  document.querySelectorAll("[data-pages]").forEach(offer);
}
document.addEventListener("swapped", ready);
ready();
