import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { selfSignedCertificate, type TestCertificate } from '../../fakes/certificate.ts';
import { freePort } from '../../support/socket.ts';
import { firstCredentials, type Service, signInTo, startService } from '../service.ts';

const samples = fileURLToPath(new URL('../../../../deploy/proxies/', import.meta.url));

interface Proxy {
  readonly sample: string;
  readonly program: string;
  /** The sample, for a port, a service and a certificate of the test. */
  readonly adapt: (sample: string, at: { port: number; service: string; folder: string }) => string;
  readonly words: (file: string) => readonly string[];
}

/** Replaces a text that has to be there. */
function swap(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), `${from} is not in the sample`);
  return text.replaceAll(from, to);
}

const proxies: readonly Proxy[] = [
  {
    sample: 'nginx.conf',
    program: '/usr/sbin/nginx',
    adapt: (sample, { port, service, folder }) => {
      const logs = `pid ${folder}/pid; error_log stderr; daemon off; events {}`;
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const listening = swap(sample, 'listen 443', `listen 127.0.0.1:${port}`);
      const own = swap(swap(listening, '/etc/ssl/pharos', folder), '127.0.0.1:8080', service);
      return `${logs} http { access_log off; ${temporary.join(' ')}\n${own}}\n`;
    },
    words: (file) => ['-c', file],
  },
  {
    sample: 'Caddyfile',
    program: '/usr/bin/caddy',
    adapt: (sample, { port, service, folder }) => {
      const site = `https://localhost:${port} {\n\ttls ${folder}/certificate.pem ${folder}/key.pem`;
      const own = swap(swap(sample, 'pharos.example.org {', site), '127.0.0.1:8080', service);
      return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${own}`;
    },
    words: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
  {
    sample: 'haproxy.cfg',
    program: '/usr/sbin/haproxy',
    adapt: (sample, { port, service, folder }) =>
      swap(
        swap(swap(sample, 'bind :443', `bind 127.0.0.1:${port}`), '/etc/haproxy', folder),
        '127.0.0.1:8080',
        service,
      ),
    words: (file) => ['-db', '-f', file],
  },
];

describe('the samples of proxies', () => {
  let folder: string;
  let certificate: TestCertificate;
  let service: Service;
  let headers: Readonly<Record<string, string>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-proxies-'));
    certificate = selfSignedCertificate();
    writeFileSync(join(folder, 'certificate.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key);
    writeFileSync(join(folder, 'pharos.pem'), certificate.cert + certificate.key);
    service = await startService({
      PHAROS_DATA: join(folder, 'data'),
      PHAROS_TRUST_PROXY: '1',
      PHAROS_PUBLIC_URL: 'https://127.0.0.1',
      PHAROS_LOG_LEVEL: 'info',
    });
    headers = await signInTo(service, firstCredentials(join(folder, 'data')));
  });
  afterAll(async () => {
    await service?.stop('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  for (const { sample, program, adapt, words } of proxies)
    test(`${sample} serves over TLS, passes streams on at once and uploads as they are, and keeps the metrics`, async (t) => {
      t.skip(!existsSync(program), `${program} is not installed`);
      const port = await freePort();
      const file = join(folder, sample);
      const at = { port, service: new URL(service.baseUrl).host, folder };
      writeFileSync(file, adapt(readFileSync(join(samples, sample), 'utf8'), at));
      const env = { PATH: process.env['PATH'], HOME: folder };
      const proxy: ChildProcess = spawn(program, words(file), { env, stdio: 'ignore' });
      const gone = once(proxy, 'exit');
      const ask = (
        method: string,
        path: string,
        more: { headers?: Readonly<Record<string, string>>; body?: Buffer } = {},
      ) =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const to = { host: '127.0.0.1', port, servername: 'localhost', ca: certificate.cert };
          const named = { ...headers, ...more.headers, host: `localhost:${port}` };
          const sent = request({ ...to, method, path, agent: false, headers: named }, resolve);
          sent.on('error', reject);
          sent.end(more.body);
        });
      try {
        while (!(await isOpen(port))) {
          assert.equal(proxy.exitCode, null, `${program} does not take the sample`);
          await delay(50);
        }
        // A proxy that checks its nodes takes a moment to know them.
        while ((await ask('GET', '/readyz')).statusCode !== 200) await delay(50);
        assert.equal((await ask('GET', '/metrics')).statusCode, 404);

        const film = randomBytes(6_000_000);
        const more = { 'content-type': 'video/mp4', 'x-forwarded-for': '203.0.113.7' };
        const uploaded = await ask('POST', '/api/v2/files/film.mp4', { headers: more, body: film });
        const answer = JSON.parse(String(await buffer(uploaded)));
        assert.equal(uploaded.statusCode, 201, JSON.stringify(answer));
        const { pathname } = new URL(answer.url);
        assert.ok(film.equals(await buffer(await ask('GET', pathname))), 'the file comes back as it was');
        // The service takes the address that the proxy saw, not what the client says.
        assert.doesNotMatch(service.output(), /203\.0\.113\.7/);

        const stream = await ask('GET', '/api/v2/stream', { headers: { accept: 'text/event-stream' } });
        assert.equal(stream.statusCode, 200);
        const [first] = (await once(stream, 'data')) as [Buffer];
        assert.match(String(first), /event: ready|retry:/, 'what is sent comes before the stream ends');
        stream.destroy();
      } finally {
        proxy.kill('SIGTERM');
        const killing = setTimeout(() => proxy.kill('SIGKILL'), 5_000);
        await gone;
        clearTimeout(killing);
      }
    });
});

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.once('connect', () => socket.destroy());
  });
