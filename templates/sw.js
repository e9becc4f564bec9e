// The service worker keeps pages that were read or saved, for reading without a network. The network comes first.

const READ_PAGES = "read-1"; // names of caches
const SAVED_PAGES = "saved-1";
const MAX_READ_PAGES = 300;
const OFFLINE_PAGE = "{{ url("offline") }}";

self.addEventListener("install", (event) => {
  self.skipWaiting();
  const files = [OFFLINE_PAGE, "{{ static("css/about.css") }}", "{{ static("js/offline.js") }}"];
  event.waitUntil(caches.open(SAVED_PAGES).then((cache) => cache.addAll(files)));
});
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const isPublicPage = origin === location.origin && !pathname.startsWith("{{ url("admin:index") }}");
  const isWholeFile = !request.headers.has("range"); // a part of a sound is not kept
  if (request.method === "GET" && isPublicPage && isWholeFile) event.respondWith(answer(event));
});

async function answer(event) {
  const { request } = event;
  try {
    const response = await fetch(request);
    const mayBeStored = !/no-store/i.test(response.headers.get("Cache-Control") ?? "");
    if (response.ok && mayBeStored) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const keptResponse = await findKept(request);
    if (keptResponse) return keptResponse;
    if (request.mode === "navigate") return caches.match(OFFLINE_PAGE, { ignoreVary: true });
    throw error;
  }
}

// Return the kept response, or undefined. A page that was read is newer than a saved one.
async function findKept(request) {
  const readPages = await caches.open(READ_PAGES);
  return await readPages.match(request, { ignoreVary: true }) ?? caches.match(request, { ignoreVary: true });
}

async function keep(request, response) {
  const isSavedByReader = request.headers.has("x-keep"); // offline.js sends it
  const cache = await caches.open(isSavedByReader ? SAVED_PAGES : READ_PAGES);
  await cache.delete(request); // so that the newest page comes last
  await cache.put(request, response);
  if (isSavedByReader) return;
  const requests = await cache.keys();
  const surplus = Math.max(0, requests.length - MAX_READ_PAGES);
  await Promise.all(requests.slice(0, surplus).map((oldest) => cache.delete(oldest)));
}
