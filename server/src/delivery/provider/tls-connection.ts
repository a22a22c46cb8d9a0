import { isIP, type LookupFunction } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';

export interface TlsOptions {
  /** Certificates in PEM to trust instead of the public ones. */
  readonly ca?: string;
  readonly lookup?: LookupFunction;
  readonly timeoutMs: number;
  /** Also offers HTTP/1.1. */
  readonly http1: boolean;
}

/** Connects and negotiates; `alpnProtocol` is the agreed protocol. Rejects with the error. */
export function connectTls(origin: URL, options: TlsOptions): Promise<TLSSocket> {
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(origin.port) || 443,
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: options.http1 ? ['h2', 'http/1.1'] : ['h2'],
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`${origin.host} did not accept a connection within ${options.timeoutMs} ms`)),
      options.timeoutMs,
    );
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.setNoDelay(true);
    socket.on('error', failed);
    socket.once('close', () => failed(new Error(`${origin.host} closed the connection`)));
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.removeAllListeners('error').removeAllListeners('close');
      // Until its owner listens for errors.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
