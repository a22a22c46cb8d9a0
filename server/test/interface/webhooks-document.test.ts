import assert from 'node:assert/strict';
import { Compile } from 'typebox/compile';
import { test } from 'vitest';
import { webhookEvents } from '../../src/features/operate/webhooks/schemas.ts';
import { openWebhookSite } from '../support/sites/webhook-site.ts';

test('the document says what webhooks are called with', async () => {
  const hooks = await openWebhookSite('sqlite');
  try {
    const { app } = hooks.site;
    const { webhooks } = (await app.send({ method: 'GET', url: '/openapi.json' })).body;
    assert.deepEqual(Object.keys(webhooks), webhookEvents);
    await hooks.site.notification();
    const events = ['message.fired', 'message.verdict', 'presence.enter', 'visit.opened'];
    await hooks.make({ events });
    await hooks.enter();
    await app.app.idle();
    const seen = new Set<string>();
    for (const { body, headers } of hooks.receiver.calls) {
      const call = JSON.parse(body);
      const { parameters, requestBody } = webhooks[call.type].post;
      for (const { name } of parameters) assert.ok(headers[name], name);
      const { schema } = requestBody.content['application/json'];
      assert.deepEqual([...Compile(schema).Errors(call)], [], body);
      const known = Object.keys(schema.properties.data.properties);
      const others = Object.keys(call.data).filter((member) => !known.includes(member));
      if (!call.type.startsWith('message.fired')) assert.deepEqual(others, [], call.type);
      seen.add(call.type);
    }
    assert.deepEqual([...seen].sort(), events);
  } finally {
    await hooks.close();
  }
});
