import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { installConsumers, otherNode } from '../../sdk/test/install-consumers.ts';
import { allocator, nodeFlags } from '../../server/bin/process-options.mjs';
import { pinnedNode, root } from '../install.mjs';
import { canPackDebian } from './debian.mjs';
import { npm } from './npm.ts';
import { installOnDebian, missingForSystems, openImage, readOnly } from './systems.mjs';

const dist = join(root, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Starts the service as an operator would, in an empty folder, and returns where it listens. */
async function serve(folder, [program, ...words], more = {}) {
  const cwd = mkdtempSync(join(folder, 'empty-'));
  const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: cwd, PHAROS_PORT: '0', ...more };
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const [, address] = /listens on (http:\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    // What keeps its memory small.
    const of = (file) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8').split('\0');
    assert.deepEqual(
      [...nodeFlags, ...Object.keys(allocator)].filter(
        (name) => ![...of('cmdline'), ...of('environ').map((one) => one.split('=')[0])].includes(name),
      ),
      [],
    );
    return { child, address, cwd };
  }
  throw new Error('The service has not started.');
}

async function stop({ child }) {
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
}

async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const sizeOf = (folder) =>
  globSync('**/*', { cwd: folder }).reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);

describe('what is released', () => {
  let folder;
  let installed;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-released-'));
    execFileSync(pinnedNode, [join(root, 'scripts', 'release', 'release.mjs')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    installed = join(folder, 'installed');
    mkdirSync(installed);
    npm(['install', '--no-audit', '--no-fund', '--loglevel=error', join(dist, `pharos-${version}.tgz`)], installed);
    // Making it all takes a minute of processor time, and on a shared machine several minutes.
  }, 900_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('comes with notes, a list of what is in it, and checksums', () => {
    const sums = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dist, encoding: 'utf8' });
    assert.match(sums, /^pharos-sdk-.*\.tgz: OK$/m);
    assert.match(sums, /^NOTES\.md: OK$/m);
    const { bomFormat, components } = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8'));
    assert.equal(bomFormat, 'CycloneDX');
    const names = components.map(({ name }) => name);
    assert.deepEqual([names.includes('better-sqlite3'), names.includes('vitest')], [true, false]);
  });

  test('takes at most 120 MB as an npm package', () => {
    assert.ok(sizeOf(join(installed, 'node_modules')) < 120e6);
  });

  for (const major of [22, 24, 26])
    test(`runs from its npm package in an empty folder, with console and handbook, on Node ${major}`, async (t) => {
      const node = major === 24 ? pinnedNode : otherNode(major, installConsumers());
      t.skip(node === undefined, 'there is none for this platform');
      const program = join(installed, 'node_modules', 'pharos', 'server', 'bin', 'pharos.mjs');
      const service = await serve(folder, [node, program]);
      const pages = {
        '/readyz': '"ready"',
        '/console/': '<div id=',
        '/handbook/operations': 'apt install',
        '/docs': 'Pharos',
      };
      for (const [path, text] of Object.entries(pages)) {
        const answer = await fetch(service.address + path);
        assert.equal(answer.status, 200, path);
        assert.ok((await answer.text()).includes(text), path);
      }
      // A password is hashed, and the data are where the service was started.
      const password = { email: 'vera@example.org', password: 'open sesame', firstname: 'Vera', lastname: 'Visitor' };
      const env = readFileSync(join(service.cwd, 'data', 'first-app.env'), 'utf8');
      const headers = {
        'content-type': 'application/json',
        'x-service-appid': /APP_ID=(\S+)/.exec(env)[1],
        'x-service-appkey': /APP_KEY=(\S+)/.exec(env)[1],
      };
      const post = (path, body) =>
        fetch(`${service.address}/api/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal((await post('users', password)).status, 201);
      assert.equal((await post('users/signin', password)).status, 200);
      await stop(service);
    });

  test('is a container image without a shell, of at most 200 MB, that serves without rights on a read-only root', async (t) => {
    const missing = missingForSystems();
    t.skip(missing !== undefined, `${missing} is missing`);
    const [archive] = globSync(`pharos_${version}_*_image.tar.gz`, { cwd: dist });
    const { root, config, close } = openImage(join(dist, archive), folder);
    try {
      assert.ok(sizeOf(root) < 200e6, String(sizeOf(root)));
      assert.deepEqual(globSync(['bin/sh', 'usr/bin/{sh,bash,dash,env,busybox}'], { cwd: root }), []);
      const [data, port] = [mkdtempSync(join(folder, 'volume-')), await freePort()];
      const user = Number(config.User.split(':')[0]);
      chownSync(data, user, user);
      const env = Object.fromEntries(config.Env.map((one) => one.split(/=(.*)/s)));
      const settings = { ...env, PATH: `${env.PATH}:/usr/sbin:/bin:/sbin`, PHAROS_PORT: String(port) };
      const within = (words) => readOnly(root, [[data, '/data']], config.User, words);
      const service = await serve(folder, within([...config.Entrypoint, ...config.Cmd]), settings);
      const [how, ...check] = config.Healthcheck.Test;
      assert.equal(how, 'CMD');
      const [program, ...words] = within(check);
      execFileSync(program, words, { env: settings, stdio: 'ignore' });
      assert.equal(statSync(join(data, 'pharos.db')).uid, user);
      const sbom = JSON.parse(readFileSync(join(root, 'usr/share/doc/pharos/sbom.cdx.json'), 'utf8'));
      assert.ok(sbom.components.length > 20);
      await stop(service);
      assert.throws(() => execFileSync(program, words, { env: settings, stdio: 'ignore' }), 'the check notices');
    } finally {
      close();
    }
  });

  test('is a Debian package that a small Debian installs and that runs as its own user', async (t) => {
    const missing = missingForSystems();
    t.skip(missing !== undefined, `${missing} is missing`);
    const [deb] = globSync(`pharos_${version}_*.deb`, { cwd: dist });
    const system = installOnDebian(join(dist, deb), folder);
    const [program, ...words] = ['chroot', system, '/usr/bin/pharos'];
    assert.equal(execFileSync(program, [...words, '--version'], { encoding: 'utf8' }).trim(), version);
    const service = await serve(folder, [program, ...words]);
    assert.equal((await fetch(`${service.address}/console/`)).status, 200);
    const database = statSync(join(system, 'var/lib/pharos/pharos.db'));
    assert.ok(database.uid > 0);
    await stop(service);
    // Before an update the next package is only unpacked.
    execFileSync('chroot', [system, 'dpkg', '--extract', '/pharos.deb', '/next']);
    const checked = execFileSync('chroot', [system, '/next/usr/bin/pharos', 'upgrade', '--check'], {
      encoding: 'utf8',
    });
    assert.match(checked, /changes nothing in this database/);
    execFileSync('chroot', [system, 'dpkg', '--purge', 'pharos'], { stdio: 'ignore' });
    assert.ok(existsSync(join(system, 'var/lib/pharos/pharos.db')), 'the data stay');
    assert.ok(!existsSync(join(system, 'usr/lib/pharos/node')));
  });

  test('is a Debian package with a Node of its own, whose unit may do little', { skip: !canPackDebian() }, async () => {
    const [file] = globSync(`pharos_${version}_*.deb`, { cwd: dist });
    execFileSync('dpkg-deb', ['--extract', join(dist, file), join(folder, 'deb')]);
    const [program, node] = ['server/bin/pharos.mjs', 'node'].map((name) => join(folder, 'deb/usr/lib/pharos', name));
    await stop(await serve(folder, [node, program]));
    const unit = join(folder, 'deb/usr/lib/systemd/system/pharos.service');
    if (existsSync('/usr/bin/systemd-analyze'))
      execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', unit], { stdio: 'ignore' });
    for (const name of ['postinst', 'prerm', 'postrm'])
      execFileSync('sh', [
        '-n',
        '-c',
        execFileSync('dpkg-deb', ['--info', join(dist, file), name], { encoding: 'utf8' }),
      ]);
  });
});
