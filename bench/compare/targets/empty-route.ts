/** `node empty-route.ts PORT`: the product's HTTP stack at its fastest. */
import { createRequire } from 'node:module';

// Resolved from the service's folder, so that both are the same version.
const require = createRequire(new URL('../../../server/src/main.ts', import.meta.url));
const { default: fastify } = require('fastify') as typeof import('fastify');

const server = fastify();
for (const method of ['GET', 'POST'])
  server.route({
    method,
    url: '/',
    handler: (_request, reply) => {
      reply.type('application/json; charset=utf-8');
      return reply.send('{"result":{}}');
    },
  });
await server.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
