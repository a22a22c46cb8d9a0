import { resolve } from 'node:path';
import { isObject } from '@pharos/query';
import { type Command, type CommandCall, type CommandResult, UsageError } from '../../support/command.ts';
import { withServices } from '../storage.ts';
import { importFromArchive } from './archive.ts';
import { beaconCsv } from './beacon-csv.ts';
import { lineOf, maxShown } from './changes.ts';
import { firebaseUsers, firestore, readParameters } from './firebase.ts';
import { type Document, type Source, timeOf, withoutMembers } from './item.ts';
import { filesOf, parseServer } from './parse-server.ts';
import { pocketBase } from './pocketbase.ts';
import { importItems, type Result } from './write-items.ts';

const stamps = new Set(['objectId', 'createdAt', 'updatedAt', 'createdBy', 'venueId', 'zoneId']);

/**
 * A folder of lists as `/api/v2` answers them, of the original service or of another Pharos: `beacons.json`, `users.json`
 * (which has no passwords), and a file for each bucket.
 */
const lists =
  (folder: string): Source =>
  () =>
    filesOf(folder, (name) => ({ at, value, fileTime }) => {
      const createdAt = timeOf(value['createdAt'], fileTime);
      const found = {
        at,
        of: name === 'users' ? '_User' : name,
        id: String(value['objectId'] ?? ''),
        createdAt,
        updatedAt: Math.max(createdAt, timeOf(value['updatedAt'], createdAt)),
      };
      if (name === 'beacons') return { kind: 'beacon', ...found, body: withoutMembers(value, stamps) };
      const metadata = isObject(value['metadata']) ? (value['metadata'] as Document) : {};
      if (name !== 'users') return { kind: 'record', ...found, bucket: name, document: metadata };
      return {
        kind: 'user',
        ...found,
        email: String(value['validemail'] ?? value['email'] ?? ''),
        isVerified: false,
        isDisabled: false,
        firstname: String(value['firstname'] ?? ''),
        lastname: String(value['lastname'] ?? ''),
        passwordHash: undefined,
        metadata,
      };
    });

export { exportCommand } from './archive.ts';

type Open = (from: string, call: CommandCall) => Source | Promise<Source>;

/** What `--as` takes, with what it reads. */
const kinds: Readonly<Record<string, { readonly reads: string; readonly open: Open }>> = {
  parse: {
    reads: 'a folder with a JSON file per class of Parse Server, passwords from mongoexport',
    open: parseServer,
  },
  'firebase-users': {
    reads: 'the JSON file of firebase auth:export, with --hash-parameters',
    async open(from, call) {
      const parameters = call.text('hash-parameters');
      return firebaseUsers(from, parameters === undefined ? undefined : await readParameters(resolve(parameters)));
    },
  },
  firestore: {
    reads: 'a folder made by gcloud firestore export, or a JSON file of documents as the REST interface lists them',
    open: firestore,
  },
  pocketbase: { reads: 'pb_data/data.db of PocketBase', open: pocketBase },
  beacons: { reads: 'a CSV file of beacons from Estimote, Kontakt.io or this console', open: beaconCsv },
  lists: { reads: 'a folder with lists of /api/v2: beacons.json, users.json, and a file per bucket', open: lists },
};

async function runImport(call: CommandCall): Promise<CommandResult> {
  const as = call.text('as');
  if (as === undefined) return importFromArchive(call);
  const kind = Object.hasOwn(kinds, as) ? kinds[as] : undefined;
  if (!kind) throw new UsageError(`--as takes ${Object.keys(kinds).join(', ')}, not "${as}".`);
  const appId = call.text('app');
  if (appId === undefined) throw new UsageError('Name the app with --app ID. See: pharos app list');
  const source = await kind.open(resolve(call.text('from') ?? ''), call);
  const config = call.config();
  const isDryRun = call.has('dry-run');
  const result = await withServices(config, async (services) => {
    await services.apps.get(appId);
    return importItems({ services, appId, source, isDryRun });
  });
  return {
    text: textOf(result, isDryRun),
    json: { appId, dryRun: isDryRun, ...result },
    isFailure: result.refused > 0,
  };
}

const counted = ['user', 'record', 'beacon'] as const;
const nouns = { user: 'users', record: 'records', beacon: 'beacons' } as const;

function textOf({ counts, refused, problems, changes }: Result, isDryRun: boolean): string {
  const lines = counted.flatMap((kind) => {
    const { new: added, same, differs } = counts[kind];
    if (added + same + differs === 0) return [];
    const here = [
      `${same} are here already`,
      ...(differs > 0 ? [`${differs} are here and differ: they stay as they are`] : []),
    ];
    return [`${nouns[kind]}: ${added} ${isDryRun ? 'would be added' : 'added'}, ${here.join(', ')}`];
  });
  const more = refused > problems.length ? [`and ${refused - problems.length} more`] : [];
  const left = refused > 0 ? [`${refused} cannot be taken over:`, ...problems, ...more] : [];
  const diff = isDryRun ? changes.slice(0, maxShown).map(lineOf) : [];
  const all = counted.reduce((sum, kind) => sum + counts[kind].new + counts[kind].differs, 0);
  const rest =
    isDryRun && all > diff.length ? [`and ${all - diff.length} more; --json names up to ${changes.length}`] : [];
  return [...(lines.length > 0 ? lines : ['There is nothing to add.']), ...diff, ...rest, ...left].join('\n');
}

export const importCommand: Command = {
  name: 'import',
  summary: 'add an app from an archive or a backup, or what another system has to an app',
  details: `The service may run meanwhile. What was interrupted goes on with the same command, and a second time adds nothing.

From pharos export or pharos backup, the app keeps its id, its keys, and whoever is signed in; whoever was erased since is
erased again. With --as and --app, an app gets users, records and beacons of another system. Users sign in with their
passwords. What cannot be taken over is named with its file and line, and the exit code is then 1:

${Object.entries(kinds)
  .map(([name, { reads }]) => `  ${name.padEnd(16)}${reads}`)
  .join('\n')}`,
  options: {
    from: {
      value: 'PATH',
      help: 'made by pharos export, a folder made by pharos backup, or what --as says',
      required: true,
    },
    as: { value: 'KIND', help: 'what it is, if it comes from another system' },
    app: { value: 'ID', help: 'which app: of a backup, or the one to add to' },
    'dry-run': { help: 'only say what would be added, and what is here and differs' },
    'hash-parameters': { value: 'FILE', help: 'the password hash parameters that the Firebase console shows' },
    scratch: { value: 'FOLDER', help: 'where to unpack an archive; by default the folder for temporary files' },
    erasures: { value: 'FILE', help: 'a list of erasures; without it the one of the data folder', multiple: true },
  },
  run: runImport,
};
