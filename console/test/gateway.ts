import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import fastify from 'fastify';
import { consoleFolder, registerConsoleFiles } from '../../server/src/http/console/console-files.ts';

export interface Gateway {
  readonly origin: string;
  /** From now on the console is another build, in which every file has another name. */
  update(): void;
  /** As when the service is stopped: nothing listens at its address, and what was under way is cut off. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** What is being answered is not heard of any more, although its connections seem to be open: as when a network has forgotten them. */
  forget(): void;
  close(): Promise<void>;
}

/** Stands between a browser and a service, so that a test can stop the service and replace its console. */
export async function openGateway(service: string): Promise<Gateway> {
  const build = await serveAnotherBuild();
  let isUpdated = false;
  const answering = new Set<() => void>();
  const server = createServer((asked, answer) => {
    const isOfConsole = /^\/console(?!\/api(\/|$))/.test(asked.url ?? '');
    const { hostname, port } = new URL(isUpdated && isOfConsole ? build.origin : service);
    const { method, url: path, headers } = asked;
    const passed = request({ hostname, port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
      const forget = () => answered.unpipe(answer).resume();
      answering.add(forget);
      answer.on('close', () => answering.delete(forget));
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  const port = await listen(0);
  return {
    origin: `http://127.0.0.1:${port}`,
    update: () => {
      isUpdated = true;
    },
    stop,
    forget: () => {
      for (const forget of answering) forget();
    },
    start: async () => void (await listen(port)),
    async close() {
      await stop();
      await build.close();
    },
  };
}

/** The files of the console under other names, as after an update, served as the service does. */
async function serveAnotherBuild() {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-build-'));
  cpSync(consoleFolder, folder, { recursive: true });
  const assets = join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => ['.js', '.css'].includes(extname(name)));
  const renamed = new RegExp(names.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g');
  const next = (name: string) => name.replace(/(\.\w+)$/, 'x$1');
  for (const file of [join(folder, 'index.html'), ...names.map((name) => join(assets, name))])
    writeFileSync(file, readFileSync(file, 'utf8').replace(renamed, next));
  for (const name of names) renameSync(join(assets, name), join(assets, next(name)));
  const server = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  server.setErrorHandler((_error, _request, reply) => reply.code(404).send({}));
  registerConsoleFiles(server, folder);
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    origin,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
