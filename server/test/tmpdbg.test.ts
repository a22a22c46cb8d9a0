import { test } from 'node:test';
import { buildApp } from './build-app.ts';
import { head, listen, openConnection } from './socket.ts';

test('x', async () => {
  const app = await buildApp({});
  const port = await listen(app);
  const c = await openConnection(port);
  app.app.server.server.on('request', (q, r) => {
    r.on('finish', () => console.log('finish', q.complete, q.headers));
  });
  c.send(
    `${head('POST /api/v2/beacons', [
      ['Content-Type', 'application/json'],
      ['Content-Length', '2'],
    ])}{}`,
  );
  console.log(await c.answer());
  c.send(
    `${head('POST /api/v2/nosuch', [...Object.entries(app.credentials), ['Content-Type', 'application/json'], ['Content-Length', '200000']])}{}`,
  );
  console.log(await c.answer());
  await app.close();
});
