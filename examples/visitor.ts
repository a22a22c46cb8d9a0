/**
 * A visitor's phone, without a phone: registers an installation, senses the first beacons of the app, and prints the
 * messages to show. Unsent sightings wait in a file until the next run.
 *
 *   PHAROS_URL=http://127.0.0.1:8080 PHAROS_APP_ID=… PHAROS_APP_KEY=… PHAROS_EMAIL=… PHAROS_PASSWORD=… \
 *     npx node examples/visitor.ts
 *
 * `npx node` is the Node of the checkout; your own has to be 24 or newer. Signs the user up if there is none.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { PharosClient, PharosError, SightingQueue } from '../sdk/src/index.ts';

const installationId = 'example-visitor';
const file = process.env['PHAROS_QUEUE_FILE'] ?? 'visitor-queue.json';

function setting(name: string): string {
  const value = process.env[name];
  if (value) return value;
  process.stderr.write(`Set ${name}.\n`);
  process.exit(2);
}

async function signIn(client: PharosClient): Promise<void> {
  const [email, password] = [setting('PHAROS_EMAIL'), setting('PHAROS_PASSWORD')];
  try {
    await client.users.signIn({ email, password });
  } catch (error) {
    if (!(error instanceof PharosError) || error.status !== 404) throw error;
    await client.users.signUp({ firstname: 'Vera', lastname: 'Visitor', email, password });
    await client.users.signIn({ email, password });
  }
}

async function visit(client: PharosClient): Promise<void> {
  const queue = new SightingQueue(client, {
    installationId,
    storage: {
      load: () => (existsSync(file) ? readFileSync(file, 'utf8') : null),
      save: (text) => writeFileSync(file, text),
    },
    onAnswer: ({ events, messages }) => {
      for (const { event, beaconId } of events) console.log(`${event} at ${beaconId.objectId}`);
      for (const message of messages) console.log(`message: ${JSON.stringify(message)}`);
    },
    onDropped: (sightings, reason) => console.log(`${sightings.length} sightings are lost: ${reason}`),
  });
  const { results: beacons } = await client.beacons.list({ order: 'name', limit: 3 });
  if (beacons.length === 0) console.log('The app has no beacons yet. Add one in the console.');
  for (const { objectId, name } of beacons) {
    console.log(`near ${name}`);
    await queue.add({ beacon: objectId, event: 'ENTER' });
  }
  await queue.flush();
  for (const { objectId } of beacons) await queue.add({ beacon: objectId, event: 'EXIT' });
  await queue.flush();
  console.log(`${queue.size} sightings wait.`);
}

const secretFile = `${file}.secret`;

const client = new PharosClient({
  baseUrl: setting('PHAROS_URL'),
  appId: setting('PHAROS_APP_ID'),
  appKey: setting('PHAROS_APP_KEY'),
  // A phone has a keychain for it.
  secretStorage: {
    load: () => (existsSync(secretFile) ? readFileSync(secretFile, 'utf8') : null),
    save: (text) => writeFileSync(secretFile, text, { mode: 0o600 }),
  },
});

/** What an app asks its visitor, in words of which this is the version. */
const agreed = { granted: true, textVersion: 'example 1' };

try {
  await signIn(client);
  await client.installations.register({
    installationId,
    deviceType: 'embedded',
    appName: 'Example visitor',
    consents: { messages: agreed, analytics: agreed, identity: agreed },
  });
  await visit(client);
} catch (error) {
  if (!(error instanceof PharosError)) throw error;
  process.stderr.write(`${error.name}: ${error.message}\n`);
  process.exitCode = 1;
}
