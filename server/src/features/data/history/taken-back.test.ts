import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { HistorySite } from '../../../../test/support/history-site.ts';

for (const database of databases) {
  describe(`going back to a version, on ${database}`, () => {
    let at: HistorySite;
    beforeAll(async () => {
      at = await HistorySite.open(database);
    });
    afterAll(() => at.close());

    test('answers the tag, with which it is taken back unless somebody has changed the record since', async () => {
      const storyline = await create(at.app, '/api/v2/storylines', { title: 'One', isEnabled: true }, at.user.headers);
      await at.ask(at.owner, 'POST', '/buckets', { name: 'birds' });
      const record = await create(at.app, '/api/v2/data/bucket/birds', { metadata: { title: 'One' } }, at.user.headers);
      const kinds = [
        {
          kind: 'storylines',
          id: storyline,
          path: `/v2/storylines/${storyline}`,
          body: (title: string) => ({ title }),
        },
        {
          kind: 'records',
          id: record,
          path: `/v2/data/bucket/birds/${record}`,
          body: (title: string) => ({ metadata: { title } }),
        },
        { kind: 'settings', id: at.app.appId, path: '', body: (name: string) => ({ name }) },
      ];
      for (const { kind, id, path, body } of kinds) {
        const change = (value: string) => at.ask(at.owner, 'PUT', path, body(value));
        const now = async () => {
          const { result } = await at.ask(at.owner, 'GET', path);
          return result.metadata?.title ?? result.title ?? result.name;
        };
        const goBack = async (headers = {}) => {
          const [last] = await at.versions(kind, id);
          at.tick();
          const url = `${at.appPath()}/history/${kind}/${id}/${last.objectId}/restore`;
          return at.owner.send({ method: 'POST', url, headers });
        };
        await change('Two');
        await change('Three');
        const gone = await goBack();
        assert.deepEqual([gone.status, await now()], [200, 'Two'], kind);
        const ifMatch = { 'if-match': String(gone.headers['etag']) };
        assert.deepEqual([(await goBack(ifMatch)).status, await now()], [200, 'Three'], kind);
        const again = await goBack();
        await change('Theirs');
        const stale = await goBack({ 'if-match': String(again.headers['etag']) });
        assert.deepEqual([stale.status, await now()], [412, 'Theirs'], kind);
      }
    });
  });
}
