import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';
import type Typescript from 'typescript';
import { test } from 'vitest';
import { openSite, stay, walk } from '../../../server/test/support/site.ts';
import { installConsumers } from '../install-consumers.ts';

/**
 * The phone that decides, in Hermes, the engine of React Native. The newest of which npm has the virtual machine is of 2022 (0.12); later
 * ones only have more, so what runs there runs in them. It has no classes yet: as Babel does in an app, TypeScript writes them as functions.
 */

/** What React Native brings along and Hermes alone did not have then; of Intl no more than is needed. */
const reactNative = `
globalThis.Intl = { DateTimeFormat: class {
  formatToParts(at) {
    const date = new Date(at);
    const [year, month, day, hour, minute] = date.toISOString().split(/\\D/);
    const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()];
    return Object.entries({ weekday, day, month, year, hour, minute }).map(([type, value]) => ({ type, value }));
  }
} };
globalThis.AbortController = class { signal = {}; abort() {} };
globalThis.TextEncoder = class { encode(text) { return Uint8Array.from(unescape(encodeURIComponent(text)), (one) => one.charCodeAt(0)); } };
Array.prototype.at ??= function (place) { return this[place < 0 ? this.length + place : place]; };
`;

const program = `
async function main({ bundle, samples, objectId }) {
  const kept = new Map();
  const told = [];
  const client = {
    call: async ({ path }) => {
      if (path === '/bundle') return { result: bundle };
      throw new Error('There is no network.');
    },
  };
  let now = samples[0].occurredAt;
  const phone = await sdk.OfflinePhone.open(client, {
    installation: { objectId, installationId: 'phone-1', localeIdentifier: 'zh_TW' },
    storage: (name) => ({ load: () => kept.get(name) ?? null, save: (text) => void kept.set(name, text) }),
    onMessage: ({ deliveryId, language, content }) => told.push([deliveryId, language, content.message.alertTitle]),
    onEvent: ({ event, at }) => told.push([event, at]),
    now: () => now,
  });
  await phone.refresh();
  for (const sample of samples) {
    now = sample.occurredAt;
    await phone.sense(sample);
  }
  now += 120_000;
  await phone.passTime();
  return JSON.stringify(told);
}
`;

async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../offline/index.ts', import.meta.url)),
    platform: 'neutral',
    logLevel: 'silent',
    resolve: { mainFields: ['module'] },
  });
  const { output } = await bundle.generate({ format: 'iife', name: 'sdk' });
  await bundle.close();
  return output[0].code;
}

test('decides in Hermes what it decides here', async (t) => {
  const tools = installConsumers();
  const platform = { linux: 'linux64-bin', darwin: 'osx-bin' }[process.platform as string];
  const hermes = join(tools, 'node_modules', 'hermes-engine-cli', String(platform), 'hermes');
  if (!existsSync(hermes)) return t.skip(`There is no Hermes for ${process.platform}.`);
  const ts = createRequire(join(tools, 'package.json'))('typescript') as typeof Typescript & {
    transpileModule(text: string, options: object): { readonly outputText: string };
  };
  const site = await openSite('sqlite');
  const folder = mkdtempSync(join(tmpdir(), 'pharos-hermes-'));
  try {
    const title = (alertTitle: string) => ({ alertTitle, alertMessage: 'Here.' });
    await site.notification({ translations: { 'zh-Hant': title('歡迎'), de: title('Willkommen') } });
    const { body } = await site.ask({ method: 'GET', url: '/api/v2/bundle' });
    const input = JSON.stringify({ bundle: body.result, samples: walk(stay(1.5, 30), site.now), objectId: site.phone });
    const code = (await bundled()) + program;
    const context = createContext({ setTimeout, clearTimeout, AbortController, TextEncoder });
    const expected: string = await runInContext(`${code}; main(${input})`, context);
    assert.match(expected, /"ENTER".*"zh-Hant","歡迎".*"EXIT"/);
    const run = `${reactNative}${code}; main(${input}).then(print, (error) => print(String(error), error.stack));`;
    const { outputText } = ts.transpileModule(run, { compilerOptions: { target: 'es5', downlevelIteration: true } });
    const file = join(folder, 'phone.js');
    writeFileSync(file, outputText);
    const { stdout } = await promisify(execFile)(hermes, ['-w', file]);
    assert.equal(stdout.trim(), expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await site.close();
  }
});
