import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bucket = 'pharos-files';

/**
 * OpenStack Swift with its S3 interface, from Debian's packages swift-proxy, swift-account, swift-container and swift-object,
 * on one folder. It takes several seconds to start, and root: swift's servers give up other users' rights.
 */
export async function startSwift() {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-swift-'));
  chmodSync(folder, 0o755);
  const ports = await freePorts(4);
  const [proxy = 0, account = 0, container = 0, object = 0] = ports;
  const devices = join(folder, 'devices');
  mkdirSync(join(devices, 'd1'), { recursive: true });
  mkdirSync(join(folder, 'cache'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write(
    'swift.conf',
    '[swift-hash]\nswift_hash_path_suffix = pharos\nswift_hash_path_prefix = pharos\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  const common = (port: number) =>
    `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\nuser = root\nswift_dir = ${folder}\ndevices = ${devices}\nmount_check = false\nworkers = 0\nlog_level = ERROR\nlog_address = /nowhere\n`;
  for (const [kind, port] of [
    ['account', account],
    ['container', container],
    ['object', object],
  ] as const) {
    write(
      `${kind}.conf`,
      `${common(port)}[pipeline:main]\npipeline = ${kind}-server\n[app:${kind}-server]\nuse = egg:swift#${kind}\n${kind === 'container' ? 'allow_versions = false\n' : ''}`,
    );
  }
  // One process for all three: each start of swift-ring-builder takes seconds.
  const rings = `
from swift.common.ring import RingBuilder
for kind, port in (('account', ${account}), ('container', ${container}), ('object', ${object})):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev(dict(id=0, region=1, zone=1, ip='127.0.0.1', port=port, replication_ip='127.0.0.1',
                         replication_port=port, device='d1', weight=1.0, meta=''))
    builder.rebalance()
    builder.get_ring().save('${folder}/' + kind + '.ring.gz')
`;
  execFileSync('/usr/bin/python3', ['-c', rings], { stdio: 'inherit' });
  write(
    'proxy.conf',
    `${common(proxy)}[pipeline:main]
pipeline = catch_errors proxy-logging cache listing_formats s3api tempauth bulk slo proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_museum_files = secret .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
`,
  );
  const children: ChildProcess[] = ['account', 'container', 'object', 'proxy'].map((kind) =>
    spawn(`swift-${kind}-server`, [join(folder, `${kind}.conf`)], {
      stdio: ['ignore', 'ignore', 'ignore'],
    }),
  );
  await answering(proxy);
  const { S3Client, CreateBucketCommand } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${proxy}`,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'museum:files', secretAccessKey: 'secret' },
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
  return {
    /** The address of a prefix in its bucket, as PHAROS_FILES_URL. */
    url: (prefix: string) => `s3+http://museum%3Afiles:secret@127.0.0.1:${proxy}/${bucket}/${prefix}`,
    async close() {
      await Promise.all(
        children.map(async (child) => {
          const gone = once(child, 'exit');
          if (child.exitCode === null && child.kill('SIGKILL')) await gone;
        }),
      );
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves once a server accepts connections. */
async function answering(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await answering(port);
  } finally {
    socket.destroy();
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
