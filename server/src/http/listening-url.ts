import type { FastifyInstance } from 'fastify';

/**
 * The address at which the service can be reached from its own machine, without a slash at the end. If the port is 0,
 * the real one is known only once the service listens.
 */
export function listeningUrl(
  server: FastifyInstance,
  configured: { readonly host: string; readonly port: number },
): string {
  const bound = server.server.address();
  const port = typeof bound === 'object' && bound ? bound.port : configured.port;
  const host = ['0.0.0.0', '::', ''].includes(configured.host) ? 'localhost' : configured.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
