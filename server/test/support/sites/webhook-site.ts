import assert from 'node:assert/strict';
import type { Answer, DatabaseKind } from '../build-app.ts';
import { type Browser, openConsole } from '../console.ts';
import { startReceiver, type WebhookReceiver } from '../servers/webhook-receiver.ts';
import { openSite, type Site } from '../site.ts';

/** A hall whose events are sent to a receiver. */

export interface MadeWebhook {
  readonly objectId: string;
  readonly secret: string;
}

export class WebhookSite {
  readonly site: Site;
  receiver: WebhookReceiver;
  /** A manager's. */
  browser: Browser;

  constructor({ site, receiver, browser }: Pick<WebhookSite, 'site' | 'receiver' | 'browser'>) {
    this.site = site;
    this.receiver = receiver;
    this.browser = browser;
  }

  /** The path of all webhooks. */
  all(appId = this.site.app.appId): string {
    return `/apps/${appId}/webhooks`;
  }

  async make(change: object = {}, appId?: string): Promise<MadeWebhook> {
    const body = { url: this.receiver.url, events: ['presence.enter'], ...change };
    const answer = await this.browser.send({ method: 'POST', url: this.all(appId), body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.result;
  }

  async read({ objectId }: MadeWebhook): Promise<Answer['body']> {
    return (await this.browser.send({ method: 'GET', url: `${this.all()}/${objectId}` })).body.result;
  }

  async deliveries({ objectId }: MadeWebhook, query = ''): Promise<Answer['body']> {
    return (await this.browser.send({ method: 'GET', url: `${this.all()}/${objectId}/deliveries${query}` })).body
      .results;
  }

  enter(): Promise<Answer['body']> {
    return this.site.send([this.site.decided('ENTER')]);
  }

  /** A minute later, since a phone that leaves and enters at once has not left. */
  enterAgain(): Promise<Answer['body']> {
    this.site.app.clock.now += 60_000;
    return this.enter();
  }

  leave(): Promise<Answer['body']> {
    return this.site.send([this.site.decided('EXIT')]);
  }

  async pass(ms: number): Promise<void> {
    this.site.app.clock.now += ms;
    await this.site.app.app.idle();
  }

  async close(): Promise<void> {
    await this.site.close();
    await this.receiver.close();
  }
}

export async function openWebhookSite(database: DatabaseKind): Promise<WebhookSite> {
  const site = await openSite(database, { PHAROS_PRIVATE_TARGETS: '127.0.0.0/8' });
  const browser = await openConsole(site.app, 'manager');
  return new WebhookSite({ site, browser, receiver: await startReceiver() });
}
