/**
 * `npm run bench -- browser/walk FOLDER [--only WORDS] [--modes LIST] [--no-axe]`: opens every page of the console, with the demo's data and in an app in which
 * there is nothing yet, wide and narrow, light and dark. Each is saved to FOLDER as a picture; what axe finds, what is wider than
 * the window and what the browser complains of is printed. It ends with 1 if
 * anything was found.
 *
 * `--only beacons,push` walks the pages whose address contains one of the words, `--modes desk-light,phone-dark` in these modes alone, and `--no-axe`
 * leaves out axe, which takes most of the time.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildConsole, launchBrowser, visit } from '../../console/test/browser.ts';
import { startService } from '../../server/test/e2e/service.ts';
import { demoAccount, emptyApp, furnish, signIn } from './walk/accounts.ts';
import { PageFinder } from './walk/page-finder.ts';
import { modes, type Remark, visitPage } from './walk/visit-page.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    modes: { type: 'string', default: modes.join() },
    'no-axe': { type: 'boolean', default: false },
  },
});
const folder = resolve(positionals[0] ?? 'console-pictures');
const { only } = values;
const words = only.split(',');
const how = {
  folder,
  modes: modes.filter((mode) => values.modes.split(',').includes(mode)),
  hasAxe: !values['no-axe'],
};

const data = mkdtempSync(join(tmpdir(), 'pharos-walk-'));
mkdirSync(folder, { recursive: true });
buildConsole();
const browser = await launchBrowser();
const service = await startService(
  { PHAROS_DATA: join(data, 'demo'), PHAROS_PRIVATE_TARGETS: '127.0.0.1' },
  '0',
  '--demo',
);
const say = (text: string) => process.stdout.write(`${text}\n`);
let found = 0;
try {
  const { page, complaints } = await visit(browser, service.baseUrl);
  const account = demoAccount(join(data, 'demo'));
  const { appId } = await signIn(page, service, account);
  const note = (path: string, remarks: readonly Remark[]) => {
    for (const { mode, text } of remarks) say(`${path} ${mode}: ${text}`);
    for (const complaint of complaints.splice(0)) say(`${path}: the browser complains: ${complaint}`);
    found += remarks.length;
  };

  const demo = new PageFinder(`/console/apps/${appId}`);
  for (let path = demo.next(words); path !== undefined; path = demo.next(words)) {
    const links = await visitPage(page, path, { ...how, name: `demo-${demo.nameOf(path)}` }, (remarks) =>
      note(path, remarks),
    );
    demo.add(links);
  }
  const furnished = await furnish(page, service, account);
  demo.add(furnished);
  for (const path of furnished.filter((path) => words.some((word) => path.includes(word)))) {
    const links = await visitPage(page, path, { ...how, name: `made-${demo.nameOf(path)}` }, (remarks) =>
      note(path, remarks),
    );
    demo.add(links);
  }
  if (only === '') for (const pattern of demo.unseen()) say(`not reached by a link: ${pattern}`);

  const emptyId = await emptyApp(page, service);
  const empty = new PageFinder(`/console/apps/${emptyId}`);
  for (let path = empty.next(words); path !== undefined; path = empty.next(words))
    await visitPage(page, path, { ...how, name: `empty-${empty.nameOf(path)}` }, (remarks) => note(path, remarks));
} finally {
  await browser.close();
  await service.stop('SIGTERM');
  rmSync(data, { recursive: true, force: true });
}
process.exitCode = found > 0 ? 1 : 0;
