/** Roots of a system without a virtual machine, in which tests start what was released: by chroot, as root on Linux. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const run = (program, words) =>
  execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const sources = '/etc/apt/sources.list.d/debian.sources';

/** What is missing here for `openImage` or `makeDebian`; undefined if nothing is. */
export const missingForSystems = () =>
  process.getuid?.() === 0
    ? ['/usr/bin/buildah', '/usr/bin/mmdebstrap', '/usr/bin/unshare', sources].find((path) => !existsSync(path))
    : 'root';

/** Unpacks an image: where its files are, and its configuration. */
export function openImage(archive, folder) {
  const store = ['--storage-driver', 'vfs', '--root', join(folder, 'store'), '--runroot', join(folder, 'run')];
  const buildah = (...words) => run('buildah', [...store, ...words]).trim();
  const file = join(folder, 'image.tar');
  // Debian's Podman and Buildah read no compressed archive.
  execFileSync('sh', ['-c', 'gunzip -c "$1" > "$2"', 'sh', archive, file]);
  const container = buildah('from', '--quiet', `docker-archive:${file}`);
  const { config } = JSON.parse(buildah('inspect', container)).Docker;
  return { config, root: buildah('mount', container), close: () => buildah('umount', container) };
}

/** The smallest Debian of this release that has what the package depends on, with the package installed by dpkg. */
export function installOnDebian(deb, folder) {
  const root = mkdtempSync(join(folder, 'debian-'));
  const [, codename] = /VERSION_CODENAME=(\w+)/.exec(run('cat', ['/etc/os-release']));
  const needed = run('dpkg-deb', ['--field', deb, 'Depends']).replace(/\([^)]*\)|\s/g, '');
  run('mmdebstrap', ['--quiet', '--variant=essential', `--include=${needed}`, codename, root, sources]);
  run('cp', [deb, join(root, 'pharos.deb')]);
  run('chroot', [root, 'dpkg', '--install', '/pharos.deb']);
  return root;
}

/** Words for `spawn` that run a program in a root which it cannot write to, except for `folders`, as a container is run with --read-only. */
export function readOnly(root, folders, user, words) {
  const script = `
    root=$1; user=$2; shift 2
    mount --rbind "$root" "$root"; mount -o remount,ro,bind "$root"
    mount -t proc proc "$root/proc"; mount --bind /dev "$root/dev"
    while [ "$1" != -- ]; do mount --bind "$1" "$root$2"; shift 2; done
    shift
    exec chroot --userspec="$user" "$root" "$@"`;
  return ['unshare', '--mount', 'sh', '-ec', script, 'sh', root, user, ...folders.flat(), '--', ...words];
}
