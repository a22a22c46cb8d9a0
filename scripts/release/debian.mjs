/** The Debian package: the service with its Node, a hardened unit of systemd, and a user of its own. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allocator, nodeFlags } from '../../server/bin/process-options.mjs';
import { pinnedNode, root } from '../install.mjs';
import { copyInstalled } from './installed.mjs';

const architectures = { x64: 'amd64', arm64: 'arm64' };

const variables = { PHAROS_DATA: '/var/lib/pharos', ...allocator };

/**
 * Commands use the settings and the data of the service, as its user; also those of a package that is only unpacked. With the flags Node need
 * not start the service anew.
 */
const command = `#!/bin/sh
export ${Object.entries(variables)
  .map(([name, value]) => `${name}="\${${name}:-${value}}"`)
  .join(' ')}
lib="$(dirname "$(readlink -f "$0")")/../lib/pharos"
run="$lib/node ${nodeFlags.join(' ')} --env-file-if-exists=/etc/pharos.env $lib/server/bin/pharos.mjs"
[ "$(id -u)" = 0 ] || exec $run "$@"
cd /var/lib/pharos
exec setpriv --reuid=pharos --regid=pharos --init-groups $run "$@"
`;

const settings = `# The settings of Pharos, one PHAROS_NAME=value a line; "pharos serve --help" lists them. Afterwards: systemctl restart pharos
#PHAROS_PORT=8080
#PHAROS_PUBLIC_URL=https://pharos.example.org
`;

/** What dpkg runs; \`deb-systemd-…\` do nothing where there is no systemd. */
const scripts = {
  postinst: `#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd pharos > /dev/null ||
  useradd --system --user-group --no-create-home --home-dir /var/lib/pharos --shell /usr/sbin/nologin pharos
install -d -m 0700 -o pharos -g pharos /var/lib/pharos
chown root:pharos /etc/pharos.env
chmod 0640 /etc/pharos.env
deb-systemd-helper enable pharos.service > /dev/null || true
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload > /dev/null || true
  deb-systemd-invoke restart pharos.service || true
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then deb-systemd-invoke stop pharos.service || true; fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  deb-systemd-helper purge pharos.service > /dev/null || true
  echo "The data of Pharos stays in /var/lib/pharos."
fi
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload > /dev/null || true; fi
`,
};

/**
 * Packs a folder of `writePackage` for this machine's processor. Returns the path of the package.
 *
 * @param contents the folder, with its package.json as `manifest` and the lock file's \`packages\`
 */
export function packDebian({ contents, manifest, packages, target }) {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-deb-'));
  try {
    // Where the package is only unpacked, the service's user reads it.
    chmodSync(folder, 0o755);
    const program = join(folder, 'usr', 'lib', 'pharos');
    cpSync(contents, program, { recursive: true });
    copyInstalled(Object.keys(manifest.dependencies), { root, packages, target: program });
    leaveOut(program);
    copyFileSync(pinnedNode, join(program, 'node'));
    // As Debian does with its own programs: a seventh of it is for debuggers.
    if (existsSync('/usr/bin/strip')) execFileSync('strip', ['--strip-unneeded', join(program, 'node')]);
    const write = (path, text, mode = 0o644) => {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
      chmodSync(join(folder, path), mode);
    };
    write('usr/bin/pharos', command, 0o755);
    write('etc/pharos.env', settings, 0o640);
    mkdirSync(join(folder, 'usr/lib/systemd/system'), { recursive: true });
    copyFileSync(join(root, 'deploy', 'pharos.service'), join(folder, 'usr/lib/systemd/system/pharos.service'));
    mkdirSync(join(folder, 'usr/share/doc/pharos'), { recursive: true });
    copyFileSync(join(root, 'LICENSE'), join(folder, 'usr/share/doc/pharos/copyright'));
    copyFileSync(join(target, 'sbom.cdx.json'), join(folder, 'usr/share/doc/pharos/sbom.cdx.json'));
    for (const [name, text] of Object.entries(scripts)) write(`DEBIAN/${name}`, text, 0o755);
    write('DEBIAN/conffiles', '/etc/pharos.env\n');
    const architecture = architectures[process.arch];
    write('DEBIAN/control', control(manifest, architecture));
    const file = join(target, `pharos_${manifest.version}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z9', '--build', folder, file], {
      stdio: ['ignore', 2, 2],
    });
    return file;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const canPackDebian = () =>
  process.platform === 'linux' && process.arch in architectures && existsSync('/usr/bin/dpkg-deb');

const control = ({ version, description }, architecture) => `Package: pharos
Version: ${version}
Architecture: ${architecture}
Maintainer: The Pharos authors <pharos@localhost>
Depends: libc6 (>= 2.28), libstdc++6, init-system-helpers, passwd, util-linux
Section: net
Priority: optional
Description: ${description}
`;

/** Binaries for other platforms, the sources of SQLite, and what Node has kept by the path of a file. */
function leaveOut(program) {
  const own = `prebuilds/${process.platform}-${process.arch}.node`;
  const within = join(program, 'node_modules', 'better-sqlite3');
  for (const path of globSync(['prebuilds/*', 'deps', 'src'], { cwd: within }))
    if (path !== own) rmSync(join(within, path), { recursive: true });
  for (const path of globSync('program/compile/v*', { cwd: program })) rmSync(join(program, path), { recursive: true });
}
