/**
 * Bundles the guide and serves it; any static server does the same with what `build` answers.
 *
 *   PHAROS_URL=http://127.0.0.1:8080 PHAROS_APP_ID=… PHAROS_APP_KEY=… npx node examples/web/serve.ts
 *
 * Then open http://127.0.0.1:8090/?beacon=<objectId>, which is what the QR code beside an exhibit holds. PHAROS_PUBLIC_KEY is the public key
 * of Web Push, from the page Push services of the console.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { rolldown } from 'rolldown';
import type { Settings } from './settings.ts';

const types: Record<string, string> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  json: 'application/json',
};
const here = (name: string) => new URL(name, import.meta.url);

/** The files of the app, by name. */
export async function build(settings: Settings): Promise<ReadonlyMap<string, string>> {
  const bundle = await rolldown({ input: here('app.ts').pathname, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const read = async (name: string) => [name, await readFile(here(name), 'utf8')] as const;
  return new Map([
    ...(await Promise.all(['index.html', 'style.css', 'service-worker.js'].map(read))),
    ['app.js', output[0].code],
    ['config.json', JSON.stringify(settings)],
  ]);
}

export function serve(files: ReadonlyMap<string, string>) {
  return createServer(({ url = '/' }, response) => {
    const name = new URL(url, 'http://localhost').pathname.slice(1) || 'index.html';
    const text = files.get(name);
    const type = types[name.split('.').at(-1) ?? ''] ?? 'text/plain';
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': type, 'cache-control': 'no-cache' }).end(text);
  });
}

if (import.meta.main) {
  const names = ['URL', 'APP_ID', 'APP_KEY', 'PUBLIC_KEY'];
  const [baseUrl, appId, appKey, publicKey] = names.map((name) => process.env[`PHAROS_${name}`]);
  if (!baseUrl || !appId || !appKey) throw new Error('Set PHAROS_URL, PHAROS_APP_ID and PHAROS_APP_KEY.');
  serve(await build({ baseUrl, appId, appKey, publicKey })).listen(8090, '127.0.0.1');
  console.log('The guide is at http://127.0.0.1:8090/');
}
