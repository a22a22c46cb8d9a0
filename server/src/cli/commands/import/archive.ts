import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Archive, exportApp, hasSealed, loadApp, withArchive } from '../../../backup/app-archive.ts';
import { describeLost } from '../../../backup/lost.ts';
import { insertRows } from '../../../backup/restore.ts';
import { guardFolder } from '../../../features/data/files/place/folder.ts';
import { eraseAgain } from '../../../features/people/privacy/erase-again.ts';
import { ledgerName, readLedger } from '../../../features/people/privacy/ledger.ts';
import type { Command, CommandCall, CommandResult } from '../../support/command.ts';
import { stoppable } from '../../support/stop-signal.ts';
import { withBlobs, withFirstServices, withServices } from '../storage.ts';

const rowsIn = ({ tables }: Archive['manifest']) => Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);

async function runExport(call: CommandCall): Promise<CommandResult> {
  const config = call.config();
  const [appId, file] = [call.text('app') ?? '', resolve(call.text('to') ?? '')];
  const { manifest, name } = await withServices(config, async ({ apps }, db, now) => {
    const { name } = await apps.get(appId);
    const manifest = await withBlobs(config, (blobs) => {
      guardFolder(db, blobs);
      return stoppable((signal) => exportApp({ db, blobs, appId, file, now: now(), signal }));
    });
    return { manifest, name };
  });
  const { blobs, lost } = manifest;
  const json = { file, appId, rows: rowsIn(manifest), files: blobs.rows, lost };
  const text = `Exported ${name}: ${json.rows} rows and ${blobs.rows} files to ${file}.`;
  if (!lost?.count) return { text, json };
  return { text: `${text}\n${describeLost(lost)} The storage has lost them.`, json, isFailure: true };
}

async function importArchive(call: CommandCall, archive: Archive): Promise<CommandResult> {
  const config = call.config();
  const { appId, app, manifest } = archive;
  const name = String(app['name']);
  const json = { appId, name, rows: rowsIn(manifest), files: manifest.blobs.rows };
  const lists = call.texts('erasures').map((file) => resolve(file));
  const known = lists.length > 0 ? lists : [join(config.dataFolder, ledgerName)];
  const entries = (await Promise.all(known.map((file) => readLedger(file).catch(ifNamed(lists))))).flat();
  const ofApp = entries.filter((entry) => entry.appId === appId);
  const size = manifest.appId === undefined ? '' : ` (${json.rows} rows, ${json.files} files)`;
  return withFirstServices(config, async (services, db, now) => {
    const { arrival } = services.apps;
    const state = await arrival.state(archive);
    if (call.has('dry-run')) {
      if (state === 'done') return { text: `${name} was imported from this archive before.`, json };
      const from = state === 'begun' ? 'goes on with its import' : 'is new here';
      return { text: `${name}, app ${appId}${size}, ${from}. Nothing was imported.`, json };
    }
    if (state !== 'done') {
      await arrival.begin(archive, state);
      await withBlobs(config, async (blobs) => {
        guardFolder(db, blobs);
        await loadApp({ db, blobs }, archive);
      });
      await arrival.finish(archive, name, (db) => insertRows(db, 'apps', [app]));
    }
    // Also after an import that was interrupted here.
    const erased = await eraseAgain(services, { entries: ofApp, now: now() });
    const again = erased > 0 ? ` ${erased} erasures since then are done again when the service runs.` : '';
    if (state === 'done')
      return { text: `${name} was imported from this archive before.${again}`, json: { ...json, erasedAgain: erased } };
    const needsKey = await hasSealed(archive);
    const key = needsKey ? `\n${aboutKey}` : '';
    return { text: `Imported ${name}${size}.${again}${key}`, json: { ...json, needsKey, erasedAgain: erased } };
  });
}

const aboutKey =
  'Credentials of push providers, webhooks and second factors are encrypted with the key of the service that it comes from.\nTo use them, set PHAROS_SECRET_KEY here to the key of this service, a comma, and that one; where it is not set, the key is\nin secret.key of the data folder.';

/** A list that nobody named need not be there. */
const ifNamed = (named: readonly string[]) => (error: NodeJS.ErrnoException) => {
  if (named.length === 0 && error.code === 'ENOENT') return [];
  throw error;
};

/** Adds an app from an archive, or from a backup. */
export const importFromArchive = (call: CommandCall): Promise<CommandResult> =>
  withArchive(
    {
      from: resolve(call.text('from') ?? ''),
      wanted: call.text('app'),
      scratch: resolve(call.text('scratch') ?? tmpdir()),
    },
    (archive) => importArchive(call, archive),
  );

export const exportCommand: Command = {
  name: 'export',
  summary: 'copy one app with its files into an archive, even while the service runs',
  details:
    'pharos import reads it, into the embedded database and into PostgreSQL. It contains all data, and the hashes of\nkeys, tokens and passwords: keep it as safe as the database. Credentials in it stay encrypted with the key of this service. To move an app, disable it\nfirst, so that nothing is added and nothing is sent twice; enable it where it was imported.',
  options: {
    app: { value: 'ID', help: 'the app', required: true },
    to: { value: 'FILE', help: 'a file that does not exist yet, such as guide.tar', required: true },
  },
  run: runExport,
};
