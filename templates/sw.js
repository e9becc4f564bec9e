// Pages that were read or saved can be read again without a network. The network comes first: what is kept is only for
// want of it.

const READ = "read-1", SAVED = "saved-1"; // what was read makes place for newer pages
const MOST = 300;
const OFFLINE = "{{ url("offline") }}";

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const files = [OFFLINE, "{{ static("css/about.css") }}", "{{ static("js/offline.js") }}"];
  event.waitUntil(caches.open(SAVED).then((saved) => saved.addAll(files)));
});
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const own = origin === location.origin && !pathname.startsWith("{{ url("admin:index") }}");
  if (request.method === "GET" && own && !request.headers.has("range")) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  const read = await caches.open(READ);
  try {
    const response = await fetch(request);
    const storable = !/no-store/i.test(response.headers.get("Cache-Control") ?? "");
    const kept = request.headers.has("x-keep") ? await caches.open(SAVED) : read;
    if (response.ok && storable) event.waitUntil(keep(kept, request, response.clone(), kept === read));
    return response;
  } catch (error) {
    const found = await read.match(request, { ignoreVary: true }) ?? await caches.match(request, { ignoreVary: true });
    if (found) return found;
    if (request.mode === "navigate") return caches.match(OFFLINE, { ignoreVary: true });
    throw error;
  }
}

async function keep(kept, request, response, bounded) {
  await kept.delete(request);
  await kept.put(request, response);
  const all = bounded ? await kept.keys() : [];
  await Promise.all(all.slice(0, Math.max(0, all.length - MOST)).map((old) => kept.delete(old)));
}
