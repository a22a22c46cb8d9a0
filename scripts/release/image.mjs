/** The container image: the Debian package on a root with nothing else but the libraries that Node needs. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { allocator, nodeFlags } from '../../server/bin/process-options.mjs';
import { root } from '../install.mjs';

/** Debian's packages of what `ldd node` names. */
const libraries = ['libc6', 'libstdc++6', 'libgcc-s1'];
/** The number of the user, which no other image is likely to have. */
const user = 10_001;

const run = (program, words, options) => execFileSync(program, words, { stdio: ['ignore', 2, 2], ...options });
const has = (program) => ['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, program)));

/** What is missing here to make one; undefined if nothing is. */
export const missingForImage = () => ['buildah', 'apt-get', 'dpkg-deb'].find((program) => !has(program));

/** Starts Node without a shell or `env`; a line like this takes one flag. */
const command = `#!/usr/lib/pharos/node ${nodeFlags}\nimport('/usr/lib/pharos/server/bin/pharos.mjs');\n`;

/** What base-files and adduser do. */
const files = {
  'etc/passwd': `root:x:0:0::/:/sbin/nologin\npharos:x:${user}:${user}::/data:/sbin/nologin\n`,
  'etc/group': `root:x:0:\npharos:x:${user}:\n`,
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};

/** Writes all that is in the image to a folder. Scanners find Debian's packages as in distroless images (`status.d`). */
function writeRoot(folder, deb) {
  for (const name of ['lib', 'lib64']) {
    mkdirSync(join(folder, 'usr', name), { recursive: true });
    symlinkSync(`usr/${name}`, join(folder, name));
  }
  const downloads = mkdtempSync(join(tmpdir(), 'pharos-libraries-'));
  try {
    // As root apt would hand the download to a user who may not write here.
    run('apt-get', ['download', '--quiet', '-o', 'APT::Sandbox::User=root', ...libraries], { cwd: downloads });
    const packages = [...globSync('*.deb', { cwd: downloads }).map((name) => join(downloads, name)), deb];
    mkdirSync(join(folder, 'var/lib/dpkg/status.d'), { recursive: true });
    for (const file of packages) {
      const tar = join(downloads, 'contents.tar');
      execFileSync('sh', ['-c', 'dpkg-deb --fsys-tarfile "$1" > "$2"', 'sh', file, tar]);
      run('tar', ['-x', '--keep-directory-symlink', '--no-same-owner', '-C', folder, '-f', tar]);
      writeFileSync(
        join(folder, 'var/lib/dpkg/status.d', basename(file).split('_')[0]),
        execFileSync('dpkg-deb', ['--field', file]),
      );
    }
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
  // Character sets that Node brings itself, and what only systemd reads.
  for (const path of ['usr/lib/*/gconv', 'usr/lib/systemd', 'usr/share/lintian', 'etc/pharos.env'])
    for (const found of globSync(path, { cwd: folder })) rmSync(join(folder, found), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  rmSync(join(folder, 'usr/bin/pharos'));
  writeFileSync(join(folder, 'usr/bin/pharos'), command);
  chmodSync(join(folder, 'usr/bin/pharos'), 0o755);
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
  for (const name of ['data', 'dev', 'proc']) mkdirSync(join(folder, name));
}

/** Makes the image of a Debian package, for its processor. Returns the path of the compressed archive, for `gunzip -c FILE | podman load`. */
export function packImage({ deb, version, target }) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-image-'));
  try {
    const contents = join(folder, 'root');
    writeRoot(contents, deb);
    const store = ['--storage-driver', 'vfs', '--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
    const name = `localhost/pharos:${version}`;
    // Only Docker's format has a HEALTHCHECK.
    const build = ['build', '--quiet', '--format', 'docker', '--timestamp', '0', '--tag', name];
    const env = Object.entries(allocator).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    run('buildah', [...store, ...build, ...env, '--file', join(root, 'deploy', 'Containerfile'), contents]);
    const file = join(target, basename(deb).replace(/\.deb$/, '_image.tar'));
    run('buildah', [...store, 'push', '--quiet', name, `docker-archive:${file}:${name}`]);
    run('gzip', ['--force', '-9', file]);
    return `${file}.gz`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
