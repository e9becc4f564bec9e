// The page of what this browser keeps for want of a network (sw.js), where whole shows can be saved.

const PAGE = 9_000; // bytes of an episode's page beside its notes
const megabytes = (bytes) => `${Math.max(bytes / 1e6, 0.1).toFixed(1)} MB`;

async function show(list) {
  const pages = new Map();
  for (const name of await caches.keys()) {
    const kept = await caches.open(name);
    for (const { url } of await kept.keys()) {
      const answer = await kept.match(url, { ignoreVary: true });
      if (/^text\/html/.test(answer?.headers.get("Content-Type"))) pages.set(url, await answer.text());
    }
  }
  for (const own of [location.href, document.querySelector(".colophon [href$='/offline/']").href]) pages.delete(own);
  if (pages.size) list.replaceChildren(...[...pages].map(([url, text]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = url;
    link.textContent = new DOMParser().parseFromString(text, "text/html").title;
    item.append(link);
    return item;
  }));
}

async function measure(button) {
  const pages = [button.dataset.start];
  let bytes = 0;
  for (let address = button.dataset.pages; address;) {
    const text = await (await fetch(address)).text();
    const { items, next_url } = JSON.parse(text);
    pages.push(...items.map((one) => new URL(one.url).pathname));
    bytes += text.length + PAGE * items.length;
    address = next_url;
  }
  button.textContent = `Save ${pages.length} pages, about ${megabytes(bytes)}`;
  button.onclick = () => save(button, pages);
}

async function save(button, pages) {
  let bytes = 0, done = 0;
  button.disabled = true;
  for (const page of pages) {
    const answer = await fetch(page, { headers: { "X-Keep": "1" } });
    bytes += (await answer.blob()).size;
    button.textContent = `Saved ${++done} of ${pages.length} pages, ${megabytes(bytes)}`;
  }
  show(document.querySelector("#saved"));
}

function ready() {
  const list = document.querySelector("#saved");
  if (!list || !navigator.serviceWorker) return;
  show(list);
  for (const button of document.querySelectorAll("[data-pages]")) {
    button.hidden = false;
    button.onclick = () => measure(button).catch(() => { button.textContent = "Not possible without a network"; });
  }
}
document.addEventListener("swapped", ready);
ready();
