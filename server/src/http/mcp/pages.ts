import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const scheme = 'pharos://handbook/';

/** Pages of the handbook, as they are written. */
export async function listPages() {
  const own = (await readdir(join(docs, 'handbook'))).map((name) => `handbook/${name}`);
  const files = [...own, ...(await readdir(docs))].filter((name) => name.endsWith('.md'));
  return Promise.all(
    files.map(async (file) => {
      const [, title = file] = /^# (.+)$/m.exec(await readFile(join(docs, file), 'utf8')) ?? [];
      const name = file.slice(0, -'.md'.length);
      return { uri: scheme + name, name, title, mimeType: 'text/markdown' };
    }),
  );
}

/** Undefined: there is no such page. */
export async function readPage(uri: string): Promise<string | undefined> {
  const page = (await listPages()).find((one) => one.uri === uri);
  return page && readFile(join(docs, `${page.name}.md`), 'utf8');
}
