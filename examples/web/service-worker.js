/** Keeps the page for times without a network, and shows what is pushed. */
const shell = ['./', 'app.js', 'style.css', 'config.json'];

addEventListener('install', (event) => {
  event.waitUntil(caches.open('guide').then((cache) => cache.addAll(shell)));
  skipWaiting();
});
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

/** The network first, so that a new version is seen at once. The service's own answers are never kept here. */
addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.destination === 'image')
    return event.respondWith(caches.match(event.request.url).then((picture) => picture ?? fetch(event.request)));
  if (event.request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api/')) return;
  event.respondWith(
    fetch(event.request).catch(
      async () => (await caches.match(event.request, { ignoreSearch: true })) ?? Response.error(),
    ),
  );
});

addEventListener('push', (event) => {
  const { title, body, deliveryId } = event.data.json();
  event.waitUntil(registration.showNotification(title ?? 'Museum guide', { body, tag: deliveryId }));
});
addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(clients.openWindow('./'));
});
