/** An app with an editor and an owner at its console, for tests of versions and the trash. */
import assert from 'node:assert/strict';
import { buildApp, type DatabaseKind, type SignedIn, signIn, type TestApp } from './build-app.ts';
import { create } from './cases.ts';
import { type Browser, openConsole } from './console.ts';

export const hall = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
export const pointer = (objectId: string) => ({ __type: 'Pointer', className: 'Beacon', objectId });

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export class HistorySite {
  readonly app: TestApp;
  readonly user: SignedIn;
  readonly editor: Browser;
  /** Replaced by whoever lets so much time pass that a session ends. */
  owner: Browser;
  readonly beaconId: string;

  private constructor(app: TestApp, user: SignedIn, people: { editor: Browser; owner: Browser }, beaconId: string) {
    this.app = app;
    this.user = user;
    this.editor = people.editor;
    this.owner = people.owner;
    this.beaconId = beaconId;
  }

  static async open(database: DatabaseKind): Promise<HistorySite> {
    const app = await buildApp({ database });
    const user = await signIn(app);
    const people = { editor: await openConsole(app, 'editor'), owner: await openConsole(app, 'owner') };
    return new HistorySite(app, user, people, await create(app, '/api/v2/beacons', hall, user.headers));
  }

  close() {
    return this.app.close();
  }

  tick(ms = 1_000) {
    this.app.clock.now += ms;
  }

  sweep() {
    this.app.app.sweep();
    return this.app.app.idle();
  }

  appPath() {
    return `/apps/${this.app.appId}`;
  }

  /** A request of the console that has to succeed. */
  async ask(browser: Browser, method: Method, path: string, body?: unknown) {
    this.tick();
    const url = this.appPath() + path;
    const answer = await browser.send({ method, url, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Many records at once, by the console. */
  bulk(body: object, browser = this.editor) {
    return browser.send({ method: 'POST', url: `${this.appPath()}/bulk`, body });
  }

  /** A bucket for records of quizzes. */
  async createQuiz() {
    await this.ask(this.owner, 'POST', '/buckets', { name: 'quiz' });
    await this.ask(this.owner, 'POST', '/v2/data/schema/quiz', { column: { score: { type: 'Number' } } });
  }

  async versions(kind: string, id: string) {
    return (await this.ask(this.owner, 'GET', `/history/${kind}/${id}`)).results;
  }

  async trash(browser = this.owner) {
    return (await this.ask(browser, 'GET', '/trash')).results;
  }

  async inTrash(recordId: string) {
    return (await this.trash()).find((one: { recordId: string }) => one.recordId === recordId);
  }

  /** A message at the beacon. */
  welcome() {
    return {
      description: 'Welcome',
      beaconId: pointer(this.beaconId),
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hi', alertMessage: 'One' },
      isEnabled: true,
    };
  }

  async get(path: string) {
    return (await this.app.send({ method: 'GET', url: `/api/v2${path}`, headers: this.user.headers })).body;
  }
}
