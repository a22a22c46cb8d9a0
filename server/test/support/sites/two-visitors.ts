import assert from 'node:assert/strict';
import { type Answer, type DatabaseKind, type SentRequest, type SignedIn, signIn } from '../build-app.ts';
import { create } from '../cases.ts';
import { openSite, pointer, type Site } from '../site.ts';

/** Vera, a visitor with a phone, and Mallory, who has made an account of her own and knows the id of Vera's phone. */

export const installations = '/api/v2/installations';
export const phoneId = 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90';

export interface Caller {
  readonly headers: Readonly<Record<string, string>>;
}

export const anybody: Caller = { headers: {} };
export const idsOf = ({ results }: Answer['body']) => results.map(({ objectId }: { objectId: string }) => objectId);

export class TwoVisitors {
  readonly site: Site;
  readonly vera: SignedIn;
  readonly mallory: SignedIn;
  /** The objectId of Vera's installation. */
  readonly phone: string;

  constructor({ site, vera, mallory, phone }: Pick<TwoVisitors, 'site' | 'vera' | 'mallory' | 'phone'>) {
    this.site = site;
    this.vera = vera;
    this.mallory = mallory;
    this.phone = phone;
  }

  as({ headers }: Caller) {
    const { app } = this.site;
    return {
      send: (request: SentRequest) => app.send({ ...request, headers: { ...headers, ...request.headers } }),
      async list(path: string, query: object = {}): Promise<Answer['body']> {
        const texts = Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : `${value}`,
        ]);
        const url = `/api/v2/${path}?${new URLSearchParams(texts as [string, string][])}`;
        const { status, body } = await app.send({ method: 'GET', url, headers });
        assert.equal(status, 200, JSON.stringify(body));
        return body;
      },
      register: (body: object) =>
        app.send({ method: 'POST', url: installations, headers, body: { deviceType: 'android', ...body } }),
    };
  }

  /** Vera's phone reports it, as sent by somebody. */
  sense(event: 'ENTER' | 'EXIT', by: Caller = this.vera): Promise<Answer> {
    const body = { installationId: phoneId, sightings: [this.site.decided(event)] };
    return this.as(by).send({ method: 'POST', url: '/api/v2/sightings', body });
  }

  /** Returns the id of the event. */
  async enter(): Promise<string> {
    const { body } = await this.sense('ENTER');
    assert.equal(body.result.events.length, 1, 'her own phone is told');
    await this.site.app.app.idle();
    this.site.app.clock.now += 1000;
    return body.result.events[0].objectId;
  }

  /** The manager sends something. */
  async push(where: object): Promise<void> {
    const body = { data: { alert: 'For Vera' }, where };
    assert.equal((await this.site.ask({ method: 'POST', url: '/api/v2/push/notification', body })).status, 200);
    this.site.app.clock.now += 1;
    await this.site.app.app.idle();
  }

  /** The tokens of the phones that pushes have reached. */
  reached(): (string | undefined)[] {
    return this.site.provider.calls.map(({ target }) => target.token);
  }

  toVera() {
    return { userId: pointer('_User', this.vera.userId) };
  }

  close(): Promise<void> {
    return this.site.close();
  }
}

export async function openTwoVisitors(database: DatabaseKind): Promise<TwoVisitors> {
  const site = await openSite(database);
  const [vera, mallory] = [await signIn(site.app), await signIn(site.app)];
  const body = { installationId: phoneId, deviceType: 'android', deviceToken: 'of vera', metadata: { tour: 3 } };
  const phone = await create(site.app, installations, body, vera.headers);
  site.app.clock.now += 1000;
  return new TwoVisitors({ site, vera, mallory, phone });
}
