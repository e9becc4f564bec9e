// Pages that were read can be read again without a network. The network comes first: what is kept is only for want of it.

const KEPT = "read-1";
const MOST = 300;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const own = origin === location.origin && !pathname.startsWith("{{ url("admin:index") }}");
  if (request.method === "GET" && own && !request.headers.has("range")) event.respondWith(answer(event));
});

async function answer(event) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(event.request);
    const storable = !/no-store/i.test(response.headers.get("Cache-Control") ?? "");
    if (response.ok && storable) event.waitUntil(keep(kept, event.request, response.clone()));
    return response;
  } catch (error) {
    const found = await kept.match(event.request);
    if (found) return found;
    throw error;
  }
}

async function keep(kept, request, response) {
  await kept.delete(request);
  await kept.put(request, response);
  const all = await kept.keys();
  await Promise.all(all.slice(0, Math.max(0, all.length - MOST)).map((old) => kept.delete(old)));
}
