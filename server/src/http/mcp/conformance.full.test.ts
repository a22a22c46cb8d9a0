import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { installConsumers } from '../../../../sdk/test/install-consumers.ts';
import { buildApp } from '../../../test/support/build-app.ts';
import { commandLine } from '../../access/audit.ts';

/** Those of the protocol's own suite that ask for nothing but the protocol; the others want the tools of its example server. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
];

test('the service conforms to the protocol, as its own suite says', async () => {
  // As on a machine of one's own, whose name the suite gives.
  const app = await buildApp({ settings: { PHAROS_PUBLIC_URL: '' } });
  const address = new URL(await app.app.server.listen({ host: '127.0.0.1', port: 0 }));
  const scopes = [{ resource: 'beacons', verbs: ['list', 'get'] }];
  const { secretKey } = await app.app.secretKeys.create(app.appId, { name: 'Agent', scopes }, commandLine);
  // The suite sends no credentials.
  const own = { 'x-service-appid': app.appId, 'x-service-appkey': secretKey };
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    // With the Host of the suite: the service compares it with the Origin.
    const passed = ask(new URL(url, address), { method, headers: { ...headers, ...own } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  try {
    const program = join(
      installConsumers(),
      'node_modules',
      '@modelcontextprotocol',
      'conformance',
      'dist',
      'index.js',
    );
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    for (const scenario of scenarios) {
      const words = [program, 'server', '--url', url, '--scenario', scenario];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: app.storage.folder });
      assert.match(stdout, /Passed: [1-9]\d*\/\d+, 0 failed/, `${scenario}: ${stdout}`);
    }
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await app.close();
  }
});
