import { createSecretBox } from '../base/secrets.ts';
import { openBlobs } from '../blobs/open.ts';
import { blobPlaces } from '../config/config.ts';
import { listPartitions } from '../db/partitions.ts';
import type { SenderDefinition } from '../delivery/push/push-sender.ts';
import type { Context } from '../features/context.ts';
import * as data from '../features/data/features.ts';
import type { Feature } from '../features/feature.ts';
import * as insights from '../features/insights/features.ts';
import * as messages from '../features/messages/features.ts';
import * as operate from '../features/operate/features.ts';
import * as people from '../features/people/features.ts';
import { createDevicePort } from '../features/places/devices/port.ts';
import * as places from '../features/places/features.ts';
import * as presence from '../features/presence/features.ts';
import { provide } from '../features/services.ts';
import { ClientQuotas } from '../limits/client-quotas.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { FileStorageWatch } from '../limits/storage/file-watch.ts';
import { createSmtpSender } from '../mail/smtp.ts';
import { handOverEndpoints } from '../resources/hand-over.ts';
import type { Process } from './process.ts';
import { handedOver, keptTables, tableOfRules, traceTables } from './tables.ts';

const makers = {
  ...{ ...data.makers, ...insights.makers, ...messages.makers, ...operate.makers },
  ...{ ...people.makers, ...places.makers, ...presence.makers },
};

/** In the order of the OpenAPI document. */
const inOrder: readonly ((context: Context) => Feature)[] = [
  operate.adminFeature,
  ...people.features,
  messages.pushFeature,
  ...places.features,
  ...messages.features,
  ...data.features,
  places.deviceFeature,
  (context) => ({ endpoints: handOverEndpoints(handedOver, context) }),
  data.fileFeature,
  ({ sightings }) => sightings,
  ...insights.features,
  ...presence.features,
  operate.appFeature,
  messages.senderFeature,
  ...operate.features,
];

/** What each feature needs, and all of them. */
export async function createContext(
  { services, ...own }: Process,
  definitions: readonly SenderDefinition[] | undefined,
) {
  const { config, server, persistentLimits, siteRevision, shares } = own;
  const { db, now, guardFolder } = services;
  const blobs = await openBlobs(blobPlaces(config));
  guardFolder(db, blobs);
  const features: Feature[] = [];
  const context: Context = provide<Context, keyof typeof makers>(
    {
      ...services,
      ...own,
      ...{ definitions, blobs, tableOfRules, traceTables, keptTables },
      log: (level, message) => server.log[level](message),
      noteChange: (db, key) => siteRevision.note(db, String(key['app_id'])),
      owns: (name) => shares.owns(name),
      mayHaveOlderNodes: !db.readsAreLocal && (await listPartitions(db, 'logs')).length === 0,
      endpoints: () => features.flatMap(({ endpoints = [] }) => endpoints),
      endpointNamed: (operationId) => {
        const found = context.endpoints().find((one) => one.operationId === operationId);
        if (!found) throw new Error(`There is no endpoint ${operationId}.`);
        return found;
      },
      signInLimiter: new RateLimiter(undefined, persistentLimits),
      quotas: new ClientQuotas(new RateLimiter(undefined, persistentLimits)),
      openMail: () => (config.smtpUrl ? createSmtpSender({ url: config.smtpUrl, from: config.mailFrom }) : undefined),
      fileStorage: new FileStorageWatch(blobs, now, (problem) => {
        if (problem === undefined) server.log.info('the storage of files answers again');
        else server.log.error(problem);
      }),
      secrets: createSecretBox({
        keys: config.secretKeys,
        // The nodes of a PostgreSQL database share no folder.
        folder: config.databaseUrl ? undefined : config.dataFolder,
      }),
      devicePort: await createDevicePort({ ...services, ...own }),
    },
    makers,
  );
  for (const create of inOrder) features.push(create(context));
  return { context, features: features as readonly Feature[] };
}
