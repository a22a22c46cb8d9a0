/**
 * A guide in the browser. Beside each exhibit hangs a QR code that leads to `/?beacon=<objectId of the beacon>`: browsers cannot listen to
 * beacons, so the code stands for having come. Without a network the page, what it knows of the museum and its decisions are all on the
 * phone; what happened is told later.
 */

import { PharosClient } from '@pharos/sdk';
import { type OfflineMessage, OfflinePhone } from '@pharos/sdk/offline';
import type { Settings } from './settings.ts';

const element = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;
const state = element('state');
const consent = element<HTMLInputElement>('consent');
const push = element<HTMLButtonElement>('push');

/** Kept on the phone, under a name. */
const kept = (name: string) => ({
  load: () => localStorage.getItem(name),
  save: (text: string) => localStorage.setItem(name, text),
});

/** The random name of this installation, made once. */
function installationId(): string {
  const known = localStorage.getItem('installationId') ?? crypto.randomUUID();
  localStorage.setItem('installationId', known);
  return known;
}

/** What the visitor was told, the newest first. It is there again when the page is. */
const told: OfflineMessage[] = JSON.parse(localStorage.getItem('told') ?? '[]');

function show(message: OfflineMessage): void {
  told.unshift(message);
  localStorage.setItem('told', JSON.stringify(told.slice(0, 50)));
  draw();
}

function draw(): void {
  element('messages').replaceChildren(...told.map(itemOf));
  element('nothing').hidden = told.length > 0;
}

/** A notification has its words in `message`, a scenario of a storyline beside it. */
function itemOf({ content, isOffline }: OfflineMessage): HTMLElement {
  const said = { ...content, ...(content['message'] as object | undefined) } as Readonly<Record<string, string>>;
  const { type, alertTitle = '', alertMessage = '', url, urlImageAndroid } = said;
  const picture = type === 'IMAGE' ? url : urlImageAndroid;
  const make = (name: string, members: object) => Object.assign(document.createElement(name), members);
  const item = make('li', {});
  item.dataset['offline'] = String(isOffline);
  for (const [name, textContent] of Object.entries({ strong: alertTitle, p: alertMessage }))
    if (textContent) item.append(make(name, { textContent }));
  if (picture) item.append(make('img', { src: picture, alt: alertTitle }));
  return item;
}

/** So that the worker has the pictures of the museum when there is no network. */
async function keepPictures(phone: OfflinePhone): Promise<void> {
  const addresses = Object.values(phone.bundle?.parts ?? {}).flatMap(({ pictures = [] }) => pictures) as string[];
  const cache = await caches.open('pictures');
  const keep = async (address: string) => cache.put(address, await fetch(address, { mode: 'no-cors' }));
  for (const address of addresses) if (!(await cache.match(address))) await keep(address).catch(() => undefined);
}

/** Which text the visitor has agreed to, if any. */
const agreedTo = () => localStorage.getItem('agreedTo');

/** At each start, and when something about the installation changes. Without a network the known one goes on. */
async function register(client: PharosClient, deviceToken?: string): Promise<string> {
  const textVersion = agreedTo();
  const agreed = textVersion === null ? { granted: false } : { granted: true, textVersion };
  try {
    const { objectId } = await client.installations.register({
      installationId: installationId(),
      deviceType: 'web',
      localeIdentifier: navigator.language,
      consents: { messages: agreed, analytics: agreed, identity: agreed },
      ...(deviceToken === undefined ? {} : { deviceToken }),
    });
    localStorage.setItem('objectId', objectId);
    return objectId;
  } catch (error) {
    const known = localStorage.getItem('objectId');
    if (known === null) throw error;
    return known;
  }
}

/** Only after a tap: browsers refuse the question otherwise. */
async function subscribe(client: PharosClient, publicKey: string): Promise<void> {
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  await register(client, JSON.stringify(subscription));
  push.hidden = true;
  state.textContent = 'You will be notified.';
}

/** Read from the service's worker when there is no network. */
const settings: Settings = await (await fetch('config.json')).json();
await navigator.serviceWorker.register('service-worker.js');
const client = new PharosClient({ ...settings, secretStorage: kept('secret'), retry: false, timeout: 5_000 });
const objectId = await register(client);
const phone = await OfflinePhone.open(client, {
  installation: { objectId, installationId: installationId(), localeIdentifier: navigator.language },
  storage: kept,
  consents: () => ({ messages: agreedTo() !== null, analytics: agreedTo() !== null }),
  onMessage: show,
});

async function refresh(): Promise<void> {
  try {
    await phone.refresh();
    state.textContent = 'The guide is up to date.';
    void keepPictures(phone);
  } catch {
    state.textContent = phone.bundle
      ? 'There is no network. The guide knows the museum all the same.'
      : 'Open the guide once with a network.';
  }
}
draw();
await refresh();

/** What the editors wrote under *Limits*, or what the page says. */
const { version, messages } = phone.consentTexts ?? { version: 'guide 1' };
if (messages) element('question').textContent = messages;
consent.checked = agreedTo() === version;
consent.addEventListener('change', async () => {
  if (consent.checked) localStorage.setItem('agreedTo', version);
  else localStorage.removeItem('agreedTo');
  await register(client);
});

push.hidden = settings.publicKey === undefined || Notification.permission === 'denied';
push.addEventListener('click', () => {
  subscribe(client, settings.publicKey ?? '').catch((error: unknown) => {
    state.textContent = `Notifications cannot be switched on: ${error instanceof Error ? error.message : error}`;
  });
});

/** Somebody has scanned the code beside an exhibit. */
const beacon = new URLSearchParams(location.search).get('beacon');
if (beacon !== null) {
  history.replaceState(null, '', location.pathname);
  await phone.sense({ beacon, event: 'ENTER' });
}

addEventListener('online', async () => {
  await phone.flush().catch(() => undefined);
  await refresh();
});
addEventListener('offline', refresh);
setInterval(() => void phone.passTime(), 5_000);
