import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { afterAll, afterEach, beforeAll, beforeEach, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../server/test/support/build-app.ts';
import {
  type AppOptions,
  openLiveStream,
  operations,
  PharosClient,
  type PharosError,
  type Tokens,
} from '../src/index.ts';

const password = 'correct horse';
let people = 0;

describe('a client with a refresh token, against the service', () => {
  let app: TestApp;
  let baseUrl: string;
  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
  });
  afterAll(() => app.close());
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: app.clock.now }));
  afterEach(() => mock.timers.reset());

  /** Time passes for the service and, unless its clock stands still, for the client. */
  function pass(ms: number, isForBoth = true) {
    app.clock.now += ms;
    if (isForBoth) mock.timers.setTime(app.clock.now);
  }

  /** A signed-in client; `asked` are the paths that it asked for, `kept` what it was to keep. */
  async function connect(options: Partial<AppOptions> = {}) {
    const asked: string[] = [];
    const kept: Tokens[] = [];
    const client = new PharosClient({
      baseUrl,
      appId: app.appId,
      appKey: app.appKey,
      onTokens: (tokens) => kept.push(tokens),
      fetch: (url, request) => {
        asked.push(String(url).slice(`${baseUrl}/api/v2`.length));
        return fetch(url, request);
      },
      ...options,
    });
    const email = `v${++people}@example.org`;
    await client.users.signUp({ firstname: 'Vera', lastname: 'Visitor', email, password });
    await client.users.signIn({ email, password, refresh: true });
    asked.length = 0;
    return { client, asked, kept, email };
  }
  const renewals = (asked: readonly string[]) => asked.filter((path) => path === '/users/token').length;
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => assert.fail('nothing was refused'),
      (error: PharosError) => error.name,
    );

  test('renews the token before it expires, once for all calls', async () => {
    const { client, asked, kept } = await connect();
    await client.users.me();
    assert.equal(renewals(asked), 0);
    pass(880_000);
    await Promise.all([1, 2, 3, 4, 5].map(() => client.users.me()));
    assert.equal(renewals(asked), 1);
    assert.equal(kept.length, 2);
    assert.deepEqual([kept[1]?.token, kept[1]?.refreshToken], [client.token, client.refreshToken]);
  });

  test('renews it when it is refused, and repeats what was refused', async () => {
    const { client, asked } = await connect();
    // The clock of the device stands still.
    pass(901_000, false);
    const results = await Promise.all([
      client.users.me(),
      client.beacons.create({ name: 'Hall', uuid: 'u', major: 1, minor: 1 }),
      client.users.me(),
    ]);
    assert.equal(results.length, 3);
    assert.equal(renewals(asked), 1);
    assert.equal((await client.beacons.list()).results.filter(({ name }) => name === 'Hall').length, 1);
  });

  test('a phone stays that of its user, although registering ignores an expired token', async () => {
    const { client } = await connect();
    const { objectId } = await client.users.me();
    const body = { installationId: `phone of ${objectId}`, deviceType: 'ios' } as const;
    await client.installations.register(body);
    pass(3_600_000);
    await client.installations.register(body);
    const [mine] = (await client.installations.list()).results;
    assert.equal(mine?.userId?.objectId, objectId);
  });

  test('a renewal whose answer is lost is repeated', async () => {
    let lost = 0;
    const { client } = await connect({
      retry: { sleep: async () => undefined },
      fetch: async (url, request) => {
        const answer = await fetch(url, request);
        if (!String(url).endsWith('/users/token') || lost++ > 0) return answer;
        await answer.text();
        throw new TypeError('the connection broke');
      },
    });
    pass(1_000_000);
    // A call that is not repeated by itself.
    await client.call(operations.patchMe, { body: { phone: '+43 1 234567' } });
    assert.equal(lost, 2);
  });

  test('a renewal whose answer was lost in a tunnel is repeated behind it', async () => {
    let isInTunnel = true;
    const { client } = await connect({
      retry: { sleep: async () => undefined },
      fetch: async (url, request) => {
        const isRenewal = String(url).endsWith('/users/token');
        const answer = await fetch(url, request);
        if (!isRenewal || !isInTunnel) return answer;
        await answer.text();
        throw new TypeError('the connection broke');
      },
    });
    pass(1_000_000);
    assert.equal(await failure(client.users.me()), 'Unreachable');
    pass(20 * 60_000);
    isInTunnel = false;
    assert.equal((await client.users.me()).firstname, 'Vera');
  });

  test('goes on after a restart with what it was given to keep', async () => {
    const { kept } = await connect();
    pass(1_000_000);
    const { token, refreshToken, tokenExpiresAt } = kept.at(-1) as Required<Tokens>;
    const again = new PharosClient({
      baseUrl,
      appId: app.appId,
      appKey: app.appKey,
      ...(token && refreshToken && tokenExpiresAt ? { token, refreshToken, tokenExpiresAt } : {}),
    });
    assert.equal((await again.users.me()).firstname, 'Vera');
  });

  test('an app that cannot keep its tokens is told so, and its calls go on', async () => {
    const reported: unknown[] = [];
    const before = Object.getOwnPropertyDescriptor(globalThis, 'reportError');
    Object.defineProperty(globalThis, 'reportError', {
      value: (error: unknown) => void reported.push(error),
      configurable: true,
    });
    try {
      const full = new Error('QuotaExceededError');
      const { client } = await connect({
        onTokens: () => {
          throw full;
        },
      });
      pass(1_000_000);
      assert.equal((await client.users.me()).firstname, 'Vera');
      assert.deepEqual(reported, [full, full]);
    } finally {
      if (before) Object.defineProperty(globalThis, 'reportError', before);
      else Reflect.deleteProperty(globalThis, 'reportError');
    }
  });

  describe('with a storage that several tabs share', () => {
    /** A storage with a delay, as real ones have. */
    function storageOf(text: string | null = null) {
      return {
        text,
        fails: false,
        isFull: false,
        async load() {
          await undefined;
          if (this.fails) throw new Error('locked');
          return this.text;
        },
        async save(text: string) {
          await undefined;
          if (this.isFull) throw new Error('QuotaExceededError');
          this.text = text;
        },
      };
    }
    function tab(tokenStorage: ReturnType<typeof storageOf>) {
      const asked: string[] = [];
      const client = new PharosClient({
        baseUrl,
        appId: app.appId,
        appKey: app.appKey,
        tokenStorage,
        fetch: (url, request) => {
          asked.push(String(url).slice(`${baseUrl}/api/v2`.length));
          return fetch(url, request);
        },
      });
      return { client, asked };
    }

    test('all stay signed in, whoever renews the tokens and whenever', async () => {
      const storage = storageOf();
      const { client: first, email } = await connect({ tokenStorage: storage });
      const tabs = [tab(storage), tab(storage), tab(storage)];
      assert.deepEqual(await Promise.all(tabs.map(({ client }) => client.isSignedIn())), [true, true, true]);
      for (let time = 0; time < 3; time++) {
        pass(1_000_000);
        // All at once, then one after the other.
        await Promise.all([first, ...tabs.map(({ client }) => client)].map((client) => client.users.me()));
        pass(1_000_000);
        for (const { client } of tabs) assert.equal((await client.users.me()).validemail, email);
      }
      const asked = tabs.flatMap(({ asked }) => asked);
      assert.ok(renewals(asked) <= 6, 'one renewal for all');
      // A page that is opened later.
      const later = tab(storage);
      assert.equal((await later.client.users.me()).validemail, email);
      assert.deepEqual(later.asked, ['/users/me']);
    });

    test('whoever signs out signs out the others, and whoever signs in signs them in', async () => {
      const storage = storageOf();
      const { client, email } = await connect({ tokenStorage: storage });
      const { client: other } = tab(storage);
      await other.users.me();
      await client.users.signOut();
      assert.equal(await failure(other.users.me()), 'InvalidSessionToken');
      assert.deepEqual([other.token, await tab(storage).client.isSignedIn()], [undefined, false]);
      await client.users.signIn({ email, password, refresh: true });
      assert.equal((await tab(storage).client.users.me()).validemail, email);
    });

    for (const when of ['is refused', 'has expired'])
      test(`what somebody began is not sent in the name of whoever has signed in since, where the token ${when}`, async () => {
        const storage = storageOf();
        const { client: anas } = await connect({ tokenStorage: storage });
        const { email: bens } = await connect();
        const { client: other, asked } = tab(storage);
        await other.users.me();
        await anas.users.signOut();
        await anas.users.signIn({ email: bens, password, refresh: true });
        if (when === 'has expired') pass(1_000_000);
        asked.length = 0;
        assert.equal(await failure(other.users.updateMe({ firstname: 'Ana' })), 'InvalidSessionToken');
        assert.ok(asked.filter((path) => path === '/users/me').length <= 1, asked.join());
        const me = await other.users.me();
        assert.deepEqual([me.validemail, me.firstname === 'Ana'], [bens, false], 'what comes next is Ben’s');
      });

    test('a stream is not continued in the name of whoever has signed in since', async () => {
      const storage = storageOf();
      const { client: anas } = await connect({ tokenStorage: storage });
      const { email: bens } = await connect();
      const { client: other } = tab(storage);
      await other.users.me();
      await anas.users.signOut();
      await anas.users.signIn({ email: bens, password, refresh: true });
      const refused = await new Promise<PharosError>((resolve) => {
        const stream = openLiveStream(other, {
          onEvent: () => {},
          onRefused: resolve,
          onState: (state) => {
            if (state !== 'open') return;
            stream.close();
            resolve({ name: state } as PharosError);
          },
        });
      });
      assert.equal(refused.name, 'InvalidSessionToken');
    });

    test('whoever signs in while the storage is read is signed in', async () => {
      const storage = storageOf();
      await connect({ tokenStorage: storage });
      const { email } = await connect();
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const { text } = storage;
      const slow = { load: () => held.then(() => text), save: (text: string) => storage.save(text) };
      const client = new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey, tokenStorage: slow });
      const asked = client.users.me();
      await client.users.signIn({ email, password, refresh: true });
      release();
      assert.deepEqual([(await asked).validemail, (await client.users.me()).validemail], [email, email]);
    });

    test('a storage that does not load is no sign-out, and one that does not save ends nothing', async () => {
      const storage = storageOf();
      const { client, email } = await connect({ tokenStorage: storage });
      const { client: other } = tab(storage);
      storage.fails = true;
      assert.equal(await failure(other.users.me()), 'StorageFailed');
      storage.fails = false;
      storage.isFull = true;
      const before = Object.getOwnPropertyDescriptor(globalThis, 'reportError');
      Object.defineProperty(globalThis, 'reportError', { value: () => undefined, configurable: true });
      try {
        // What is stored is older from now on than what the client has.
        for (let time = 0; time < 2; time++) {
          pass(1_000_000);
          assert.equal((await client.users.me()).validemail, email);
        }
        storage.isFull = false;
        pass(1_000_000);
        assert.equal((await client.users.me()).validemail, email);
      } finally {
        if (before) Object.defineProperty(globalThis, 'reportError', before);
        else Reflect.deleteProperty(globalThis, 'reportError');
      }
      pass(1_000_000);
      assert.equal((await other.users.me()).validemail, email);
    });

    test('what somebody else has written there is nobody’s sign-in', async () => {
      for (const text of ['', 'null', '"text"', '{', '[1]', '{"token":5}']) {
        const { client } = tab(storageOf(text));
        assert.equal(await client.isSignedIn(), false, text);
      }
    });
  });

  test('is signed out once the session has been ended, and says so', async () => {
    const { client, kept, email } = await connect();
    const other = new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey });
    await other.users.signIn({ email, password });
    assert.equal((await other.users.sessions()).length, 2);
    await other.users.endOtherSessions();
    assert.equal(await failure(client.users.me()), 'InvalidSessionToken');
    assert.deepEqual([client.token, client.refreshToken, kept.at(-1)?.token], [undefined, undefined, undefined]);
    await client.users.signIn({ email, password });
    assert.equal((await client.users.me()).validemail, email);
  });

  test('a stream whose token is refused renews it, however wrong the clock of the device is, and continues', async () => {
    const { client, asked } = await connect();
    const told: string[] = [];
    let wake = () => {};
    const say = (what: string) => {
      told.push(what);
      wake();
    };
    pass(901_000, false);
    const stream = openLiveStream(client, { onEvent: () => {}, onState: say, onRefused: ({ name }) => say(name) });
    while (!told.some((what) => what === 'open' || what === 'closed'))
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    assert.deepEqual([told, renewals(asked)], [['open'], 1]);
    stream.close();
  });

  test('a stream says that it is refused once the session has been ended', async () => {
    const { client, email } = await connect();
    const other = new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey });
    await other.users.signIn({ email, password });
    await other.users.endOtherSessions();
    const refused = await new Promise<PharosError>((resolve) => {
      openLiveStream(client, { onEvent: () => {}, onRefused: resolve });
    });
    assert.deepEqual([refused.name, client.token], ['InvalidSessionToken', undefined]);
  });

  test('a call that is given up while the token is renewed ends at once, and the renewal goes on', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { client } = await connect({
      fetch: async (url, request) => {
        if (String(url).endsWith('/users/token')) await held;
        return fetch(url, request);
      },
    });
    pass(1_000_000);
    const ending = new AbortController();
    const given = client.users.me({ signal: ending.signal });
    const patient = client.users.me();
    ending.abort();
    await assert.rejects(given, { name: 'AbortError' });
    release();
    assert.equal((await patient).firstname, 'Vera');
  });
});
