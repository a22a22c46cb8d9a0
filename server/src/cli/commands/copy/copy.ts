import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { makeFolder } from '../../../base/disk/make-folder.ts';
import { firstIdAt } from '../../../base/id.ts';
import { readS3Address, type S3Address } from '../../../blobs/s3-address.ts';
import { connectS3 } from '../../../blobs/s3-client.ts';
import { apiPrefix } from '../../../http/api.ts';
import { type Command, type CommandCall, type CommandResult, UsageError } from '../../support/command.ts';

/**
 * The records of an app for a data warehouse: what a secret key may list, a file of JSON lines for each list. It is read like any
 * client reads it, so rules, hidden members and pseudonyms hold, and the key's scopes say what leaves the service.
 */

const pageSize = 1_000;
const maxTries = 10;
const maxPauseSeconds = 60;
/** An object that is sent in one request has at most 5 GiB. */
const uploadMs = 1_800_000;

interface Reader {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws Error for an answer that cannot be waited for; undefined: the key may not read it */
async function read({ url, headers }: Reader, path: string, query: Record<string, string> = {}) {
  const address = new URL(`${path}?${new URLSearchParams(query)}`, url);
  for (let tries = 1; ; tries++) {
    const answer = await fetch(address, { headers, redirect: 'error' });
    if (answer.ok) return (await answer.json()) as Readonly<Record<string, unknown>>;
    const said = (await answer.json().catch(() => ({}))) as { readonly error?: { code: number; error: string } };
    // 102: positions with daily pseudonyms have no order that tells phones.
    const isClosed = answer.status === 403 || said.error?.code === 102;
    if (isClosed && path !== documentPath) return undefined;
    const canWait = answer.status === 429 || answer.status === 503;
    if (!canWait || tries === maxTries)
      throw new Error(`${path} was answered with ${answer.status}: ${said.error?.error ?? answer.statusText}`);
    const seconds = Number(answer.headers.get('retry-after') ?? tries);
    await pause(Math.min(maxPauseSeconds, Number.isFinite(seconds) ? seconds : tries) * 1000);
  }
}

const documentPath = `${apiPrefix}/data/openapi`;

interface Document {
  readonly paths: Readonly<Record<string, { readonly get?: Listing }>>;
}
interface Listing {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** The lists of the app, by what they are called: those that can be read in the order of their ids. */
const listsIn = ({ paths }: Document) =>
  Object.entries(paths)
    .filter(([path, { get }]) => {
      const names = get?.parameters?.map(({ name }) => name) ?? [];
      return !path.includes('{') && ['where', 'order', 'skip', 'limit'].every((name) => names.includes(name));
    })
    .map(([path]) => ({ path, name: path.slice(apiPrefix.length + 1).replaceAll('/', '-') }));

interface Copied {
  readonly name: string;
  records: number;
}

async function* linesOf(
  reader: Reader,
  path: string,
  { since, first, copied }: { readonly since: string; readonly first: object; readonly copied: Copied },
): AsyncGenerator<string> {
  for (let page = first; ; ) {
    const { results, truncated } = page as { readonly results: readonly { objectId: string }[]; truncated?: true };
    copied.records += results.length;
    for (const record of results) yield `${JSON.stringify(record)}\n`;
    const last = results.at(-1)?.objectId;
    if (last === undefined || (results.length < pageSize && !truncated)) return;
    const next = await read(reader, path, queryFor({ $gt: last > since ? last : since }));
    if (!next) throw new Error(`${path} can no longer be read.`);
    page = next;
  }
}

const queryFor = (objectId: object) => ({
  where: JSON.stringify({ objectId }),
  order: 'objectId',
  limit: String(pageSize),
});

type Store = (name: string, file: string) => Promise<void>;

async function openS3(address: S3Address, folder: string): Promise<Store> {
  const { sdk, client, ...connection } = await connectS3(address, uploadMs).then((opened) => ({
    sdk: opened.sdk,
    client: opened.client,
    run: opened.run.bind(opened),
  }));
  return async (name, file) => {
    const { size } = await stat(file);
    const Key = `${address.prefix}${folder}/${name}`;
    const put = new sdk.PutObjectCommand({
      ...{ Bucket: address.bucket, Key, Body: createReadStream(file), ContentLength: size },
      ContentType: 'application/gzip',
    });
    await connection.run('put', (options) => client.send(put, options), { hasBody: true });
    await rm(file);
  };
}

async function openFolder(root: string, folder: string): Promise<Store> {
  const place = join(root, folder);
  await makeFolder(place, 0o700);
  return (name, file) => rename(file, join(place, name));
}

async function readerOf(call: CommandCall): Promise<Reader> {
  const url = call.text('url') ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('--url is the address of the service, such as https://pharos.example.');
  const key = (await readFile(resolve(call.text('key') ?? ''), 'utf8')).trim();
  if (!/^[\w-]+$/.test(key)) throw new UsageError('--key is a file with a secret key alone, such as phs_….');
  return {
    url: new URL(url),
    headers: { 'x-service-appid': call.text('app') ?? '', 'x-service-appkey': key, 'user-agent': 'Pharos-Copy/1' },
  };
}

/** The first id of that day; the empty text is before all. */
function sinceOf(call: CommandCall): string {
  const day = call.text('since');
  if (day === undefined) return '';
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError('--since is a day, such as 2026-11-28.');
  return firstIdAt(at);
}

async function runCopy(call: CommandCall): Promise<CommandResult> {
  const [to, appId, since, reader] = [
    call.text('to') ?? '',
    call.text('app') ?? '',
    sinceOf(call),
    await readerOf(call),
  ];
  const address = /^s3(\+http)?:/i.test(to) ? addressOf(to) : undefined;
  const folder = `${appId}/${new Date().toISOString().slice(0, 10)}`;
  const work = address ? await mkdtemp(join(tmpdir(), 'pharos-copy-')) : resolve(to);
  const [copied, leftOut]: [Copied[], string[]] = [[], []];
  try {
    const document = (await read(reader, documentPath)) as unknown as Document;
    const store = address ? await openS3(address, folder) : await openFolder(work, folder);
    for (const { path, name } of listsIn(document)) {
      const first = await read(reader, path, queryFor({ $gte: since }));
      if (!first) {
        leftOut.push(name);
        continue;
      }
      const list: Copied = { name, records: 0 };
      // Beside its place, so that it gets its name once it is complete.
      const file = join(work, `.${appId}-${name}.unfinished`);
      const lines = Readable.from(linesOf(reader, path, { since, first, copied: list }));
      await pipeline(lines, createGzip(), createWriteStream(file, { mode: 0o600 }));
      await store(`${name}.ndjson.gz`, file);
      copied.push(list);
    }
  } finally {
    if (address) await rm(work, { recursive: true, force: true });
  }
  const records = copied.reduce((sum, one) => sum + one.records, 0);
  const left =
    leftOut.length > 0
      ? `\nLeft out, because the key may not list them, or not in the order of their ids: ${leftOut.join(', ')}.`
      : '';
  return {
    text: `Copied ${records} records in ${copied.length} lists to ${address ? `${address.prefix}${folder}` : join(work, folder)}.${left}`,
    json: { folder, records, lists: copied, leftOut },
  };
}

function addressOf(text: string): S3Address {
  try {
    return readS3Address(text);
  } catch (error) {
    throw new UsageError(`--to ${(error as Error).message}.`);
  }
}

export const copyCommand: Command = {
  name: 'copy',
  summary: 'copy the records of an app as JSON lines into a folder or S3, for a data warehouse',
  details: `Each list that the secret key may read becomes APP/DAY/LIST.ndjson.gz, with the records as the interface shows them; the key
needs schemas:list, and list of what is to be copied. On the same day the files are replaced. Every night, for example:
0 3 * * * pharos copy --url https://pharos.example --app ID --key /etc/pharos/copy.key --to s3://s3.example/lake/pharos

DuckDB reads such files, and writes Parquet: copy (from 'visits.ndjson.gz') to 'visits.parquet'.`,
  options: {
    url: { value: 'URL', help: 'the service', required: true },
    app: { value: 'ID', help: 'the app', required: true },
    key: { value: 'FILE', help: 'a file with a secret key of the app', required: true },
    to: { value: 'PLACE', help: 'a folder, or an address as in PHAROS_FILES_URL', required: true },
    since: { value: 'DAY', help: 'only what was made since that day (UTC)' },
  },
  run: runCopy,
};
