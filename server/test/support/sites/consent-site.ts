import assert from 'node:assert/strict';
import { service } from '../../../src/access/audit.ts';
import { tables } from '../../../src/app/tables.ts';
import { raw, sql } from '../../../src/base/sql.ts';
import type { Answer, DatabaseKind } from '../build-app.ts';
import { type Node, openSite, type Site, stay, walk } from '../site.ts';

/** A hall with a phone that agrees to this and that. */

const second = 1000;
const minute = 60 * second;
const hourStart = (at: number) => Math.floor(at / (60 * minute)) * 60 * minute;
const url = '/api/v2/installations';

export const yes = { granted: true, textVersion: '2026-10' };
export const no = { granted: false };

export class ConsentSite {
  readonly site: Site;

  constructor(site: Site) {
    this.site = site;
  }

  close(): Promise<void> {
    return this.site.close();
  }

  /** What the app asks its visitors from now on. */
  ask(consent: 'required' | 'assumed' = 'required'): Promise<unknown> {
    const { app, appId } = this.site.app;
    return app.apps.change(appId, { policy: { consent } }, service);
  }

  register(consents: object | undefined, more: object = {}, headers = {}): Promise<Answer> {
    const body = { installationId: 'phone-1', deviceType: 'android', ...(consents ? { consents } : {}), ...more };
    return this.site.app.send({ method: 'POST', url, body, headers });
  }

  async agree(consents: object, more: object = {}): Promise<void> {
    this.site.app.clock.now += 1;
    const answer = await this.register(consents, more);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }

  /** Ten seconds in the hall. */
  visit(): Promise<Answer['body']> {
    const start = this.site.now;
    this.site.app.clock.now += 10 * second;
    return this.site.send(walk(stay(0.8, 10), start));
  }

  /** The same, told another node. */
  async sendTo({ app }: Node): Promise<void> {
    const payload = { installationId: 'phone-1', sightings: walk(stay(0.8, 10), hourStart(this.site.now)) };
    const { credentials: headers } = this.site.app;
    const answer = await app.server.inject({ method: 'POST', url: '/api/v2/sightings', headers, payload });
    assert.equal(answer.statusCode, 200);
  }

  async silence(): Promise<void> {
    this.site.app.clock.now += 5 * minute;
    await this.site.app.app.idle();
    await this.site.app.app.ticker.tick();
  }

  /** Rows that name the phone, by table; the installation itself and what it decided aside. */
  async rowsOfPhone(): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { name, trail } of tables) {
      if (trail === undefined || name === 'consents') continue;
      const row = await this.site.app.storage.db.one<{ n: number }>(
        sql`select count(*) as n from ${raw(name)} where ${raw(trail.installation)} = ${this.site.phone}`,
      );
      if (Number(row?.n) > 0) found[name] = Number(row?.n);
    }
    return found;
  }

  /** How many rows of each table name it in any cell. */
  async rowsNaming(ids: readonly string[]): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const { name } of tables) {
      const rows = await this.site.app.storage.db.all(raw(`select * from ${name}`));
      const naming = rows.filter((row) => ids.some((id) => JSON.stringify(row).includes(id)));
      if (naming.length > 0) found[name] = naming.length;
    }
    return found;
  }

  /** Without the counting of visits, which is done in the background, whenever it comes to it. */
  async recorded(): Promise<Record<string, number>> {
    const { visit_changes: _waiting, first_visits: _counted, ...rest } = await this.rowsOfPhone();
    return rest;
  }
}

export async function openConsentSite(database: DatabaseKind): Promise<ConsentSite> {
  return new ConsentSite(await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' }));
}
