/** An npm registry on this machine with the given packages. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';

/** `files` by path, package.json included: what `npm pack` would pack. */
async function tarball(files) {
  const archive = pack();
  for (const [path, text] of Object.entries(files)) archive.entry({ name: `package/${path}` }, text);
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/**
 * `packages`: name to `{ manifest, files }`. Returns its address, the checksums for a lock file, and `answers`, in
 * which a name can be given a function `(request, response)` that answers for its tarball instead.
 */
export async function startRegistry(packages) {
  const tarballs = {};
  const integrity = {};
  for (const [name, { manifest, files }] of Object.entries(packages)) {
    tarballs[name] = await tarball({ 'package.json': JSON.stringify({ name, ...manifest }), ...files });
    integrity[name] = `sha512-${createHash('sha512').update(tarballs[name]).digest('base64')}`;
  }
  const answers = {};
  const server = createServer((request, response) => {
    const [, name = '', file] = request.url.split('/');
    const found = packages[name];
    if (!found || answers[name] === 'none') return void response.writeHead(404).end('{}');
    if (file) return void (answers[name]?.(request, response) ?? response.end(tarballs[name]));
    const { version } = found.manifest;
    const dist = { tarball: `http://${request.headers.host}/${name}/${version}.tgz`, integrity: integrity[name] };
    const document = { name, 'dist-tags': { latest: version } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...document, versions: { [version]: { name, ...found.manifest, dist } } }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    integrity,
    answers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
