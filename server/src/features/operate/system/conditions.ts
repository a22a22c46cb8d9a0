import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { serviceTimeZone } from '../../../base/clock.ts';
import { countJobs } from '../../../jobs/store.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { dayIn, momentIn } from '../../zone-day.ts';

type Deps = Pick<Context, 'config' | 'db' | 'now' | 'room' | 'troubles' | 'fileStorage'>;

/** Other nodes have a disk and connections of their own. */
export const node = hostname();

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** How long it is reported that the database was lost. */
const recentMs = hourMs;
const certificateWarningMs = 21 * dayMs;
const manyJobs = 10_000;

/** What needs a person about this process and its machine. Backups have their own finder. */
export async function findServiceConditions(deps: Deps): Promise<readonly ServiceCondition[]> {
  return [
    ...(await diskConditions(deps)),
    ...databaseConditions(deps),
    ...(await fileConditions(deps)),
    ...(await jobConditions(deps)),
    ...(await certificateConditions(deps)),
  ];
}

async function diskConditions({ db, room }: Deps): Promise<readonly ServiceCondition[]> {
  await room.check();
  const problem = db.diskFailure?.message ?? room.problem();
  const warning = room.warning();
  const found = { kind: 'disk', key: `disk@${node}` } as const;
  if (problem !== undefined)
    return [{ ...found, isGrave: true, title: `New content is refused on ${node}`, text: problem }];
  return warning === undefined
    ? []
    : [{ ...found, isGrave: false, title: `The disk of ${node} is filling up`, text: warning }];
}

function databaseConditions({ troubles, now }: Deps): readonly ServiceCondition[] {
  const last = troubles.last();
  if (!last || now() - last.until > recentMs) return [];
  const seconds = Math.round((last.until - last.from) / 1000);
  return [
    {
      kind: 'database',
      key: `database@${node}`,
      isGrave: true,
      title: `The database did not answer for ${seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`}`,
      text: `It answers again since ${momentIn(serviceTimeZone(), last.until)}. Requests of that time were refused, and phones send them again. The log of ${node} says why.`,
    },
  ];
}

/** S3 is one storage for all nodes, each of which may lack the folder. */
async function fileConditions({ config, fileStorage }: Deps): Promise<readonly ServiceCondition[]> {
  const problem = await fileStorage.problem();
  if (problem === undefined) return [];
  const text = `${problem} pharos doctor says why.`;
  const found = { kind: 'files', isGrave: true, text } as const;
  return config.filesUrl
    ? [{ ...found, key: 'files', title: 'The storage of files does not answer' }]
    : [{ ...found, key: `files@${node}`, title: `The folder of files is missing on ${node}` }];
}

async function jobConditions({ db, now }: Deps): Promise<readonly ServiceCondition[]> {
  const { queued = 0 } = await countJobs(db, now());
  if (queued <= manyJobs) return [];
  return [
    {
      kind: 'jobs',
      key: 'jobs',
      isGrave: false,
      title: `More than ${manyJobs.toLocaleString('en')} messages and other work are waiting`,
      text: 'Is a worker running, and do the push services answer?',
    },
  ];
}

/** Of the port for devices; the certificate of a proxy in front is not known here. */
async function certificateConditions({ config: { mqttCert }, now }: Deps): Promise<readonly ServiceCondition[]> {
  if (!mqttCert) return [];
  const until = await readFile(mqttCert, 'utf8')
    .then((text) => Date.parse(new X509Certificate(text).validTo))
    .catch(() => Number.NaN);
  if (!(until - now() < certificateWarningMs)) return [];
  const isOver = until <= now();
  return [
    {
      kind: 'certificate',
      key: `certificate@${node}`,
      isGrave: isOver,
      title: `The certificate of the port for devices ${isOver ? 'has expired' : `expires on ${dayIn(serviceTimeZone(), until).day}`}`,
      text: 'Devices that check it cannot connect then. Put a new one into the file that PHAROS_MQTT_CERT names; the service reads it within an hour.',
    },
  ];
}
