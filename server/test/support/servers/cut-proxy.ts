import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A connection between two programs that a test can cut. */
export interface CutProxy {
  readonly port: number;
  /** Cuts the next connection after so many bytes towards the client. */
  cutOnceAfter(bytes: number): void;
  /** Cuts all after so many bytes towards the client, and refuses new ones, until `mend`. */
  cutAllAfter(bytes: number): void;
  /** Cuts all, and refuses new ones, until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startCutProxy(target: number): Promise<CutProxy> {
  const open = new Set<Socket>();
  let [isCut, isAllThen, budget] = [false, false, Number.POSITIVE_INFINITY];
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) return client.destroy();
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      budget -= chunk.length;
      if (budget >= 0) {
        if (!client.write(chunk)) {
          upstream.pause();
          client.once('drain', () => upstream.resume());
        }
        return;
      }
      budget = Number.POSITIVE_INFINITY;
      if (isAllThen) cut();
      else client.destroy();
    });
    return undefined;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutOnceAfter(bytes) {
      [budget, isAllThen] = [bytes, false];
    },
    cutAllAfter(bytes) {
      [budget, isAllThen] = [bytes, true];
    },
    cut,
    mend() {
      [isCut, budget] = [false, Number.POSITIVE_INFINITY];
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
