import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** What the console does with the sentences of the service. It is loaded by its address, since it is no part of the server. */
interface Words {
  readonly formatted: unknown;
}
interface Recogniser {
  translated(sentence: string): string;
}
interface Recognisers {
  readonly Recogniser: new (reading: object) => Recogniser;
}

interface SaidError {
  readonly error: string;
  readonly details?: readonly { readonly field: string; readonly problem: string }[];
}

const words = new URL('../../../../console/src/lib/words/', import.meta.url);
const path = '/console/api';
let loading: Promise<Recogniser> | undefined;

/** One of its own: other tests in this process are of pages in English. */
async function load(): Promise<Recogniser> {
  const { Recogniser } = (await import(new URL('recogniser.ts', words).href)) as Recognisers;
  const { formatted } = (await import(new URL('words.ts', words).href)) as Words;
  const catalogue = JSON.parse(readFileSync(new URL('catalogues/service-de.json', words), 'utf8'));
  return new Recogniser({ catalogue, language: 'de', formatted });
}

const anyText = new WeakSet<object>();

/** What this service is sent is made up by chance, and so are the words in its errors: they are not looked at. */
export function takesAnyText(app: object): void {
  anyText.add(app);
}

/** Every error that any test gets from the management interface is known to the console in its languages, word for word. */
export async function assertTranslated(app: object, url: string, body: { readonly error?: SaidError }): Promise<void> {
  if (anyText.has(app) || !url.startsWith(path) || typeof body.error?.error !== 'string') return;
  loading ??= load();
  const recogniser = await loading;
  const { error, details = [] } = body.error;
  const problems = details.map(({ problem }) => problem);
  const isSummary = details.length > 0 && error.startsWith(`${details[0]?.field} ${details[0]?.problem}`.trim());
  const unknown = [...(isSummary ? [] : [error]), ...problems].filter(
    (sentence) => recogniser.translated(sentence) === sentence,
  );
  assert.deepEqual(unknown, [], 'The console has these words in no other language; see console/test/words.');
}
