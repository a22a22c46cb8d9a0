import { Type } from 'typebox';
import { highestRole, standingIn } from '../../access/reach.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { exampleCreated, exampleId, isoTime, recordAnswer, timestampSchema } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../http/console/console-endpoint.ts';
import { defineShape } from '../../http/shape.ts';
import { type ConditionKind, conditionKinds } from '../condition.ts';
import { digestOf, digests, isWanted, kindsOf } from './choices.ts';
import * as store from './store.ts';

interface Deps {
  readonly db: Db;
  readonly canMail: boolean;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

const orNull = Type.Union([timestampSchema, Type.Null()]);
const kindSchema = Type.Enum(Object.keys(conditionKinds) as ConditionKind[]);
const alertSchema = Type.Object({
  alertId: Type.String(),
  key: Type.String(),
  kind: kindSchema,
  isGrave: Type.Boolean(),
  title: Type.String(),
  text: Type.String(),
  begunAt: timestampSchema,
  toldAt: orNull,
  endedAt: Type.Union([timestampSchema, Type.Null()], { description: 'null: it still lasts' }),
});
const alertExample = {
  alertId: exampleId,
  key: 'unreachable',
  kind: 'unreachable',
  isGrave: true,
  title: 'No push service is set up',
  text: 'Messages reach visitors only while the app is open.',
  begunAt: exampleCreated,
  toldAt: exampleCreated,
  endedAt: null,
};

const choicesSchema = Type.Object({
  email: Type.String(),
  canMail: Type.Boolean({ description: 'Whether a mail server is set up' }),
  digest: Type.Enum(digests),
  kinds: Type.Array(
    Type.Object({ kind: kindSchema, name: Type.String(), of: Type.Enum(['app', 'service']), isOn: Type.Boolean() }),
    { description: 'Those that the role may see' },
  ),
});
const choicesExample = {
  email: 'anna@example.org',
  canMail: true,
  digest: 'weekly',
  kinds: [{ kind: 'silent', name: conditionKinds.silent.name, of: 'app', isOn: true }],
};

const body = Type.Object({
  digest: Type.Optional(Type.Enum(digests)),
  kinds: Type.Optional(Type.Partial(Type.Object(Object.fromEntries(kindEntries())), { additionalProperties: false })),
});
const shape = defineShape(body);

function kindEntries() {
  return Object.keys(conditionKinds).map((kind) => [kind, Type.Boolean()] as const);
}

const rememberedMs = 7 * 86_400_000;

/** What needs a person, and what each administrator is told of it. */
export function alertEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { db, canMail, assertApp } = deps;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/alerts',
      operationId: 'listAlerts',
      tag: 'Alerts',
      summary: 'List what has been told, and what was over in the last week',
      // Everybody's, and yet not `session.own`, which comes before a second factor.
      permission: 'apps.read',
      narrows: 'apps',
      query: [{ name: 'app', description: 'Of this app; without it of the whole service', schema: Type.String() }],
      answer: {
        status: 200,
        description: 'The last to begin first, of the kinds that the role may see.',
        schema: Type.Object({
          results: Type.Array(alertSchema),
          canMail: Type.Boolean({ description: 'Whether a mail server is set up' }),
        }),
        example: { results: [alertExample], canMail: true },
      },
      errors: ['ObjectNotFound'],
      async handle({ query, admin, now }) {
        const appId = query['app'];
        const own = signedIn(admin);
        const standing = appId === undefined ? undefined : standingIn(own, appId);
        // One that the role does not reach is not there.
        if (appId !== undefined && !standing) throw fail('ObjectNotFound', `There is no app ${appId}.`);
        if (appId !== undefined) await assertApp(appId);
        // What concerns an app as a whole, or the service, is for those who have all of it.
        if (appId === undefined && own.apps !== null) return { results: [], canMail };
        const mayRead = ({ venue_id }: store.AlertRow) =>
          standing?.venues === undefined || (venue_id !== null && standing.venues.includes(venue_id));
        const seen = new Set(kindsOf(standing?.role ?? own.role));
        const rows = await store.listAlerts(db, appId ?? store.serviceScope, now - rememberedMs);
        return { results: rows.filter((row) => seen.has(row.kind) && mayRead(row)).map(view), canMail };
      },
    }),
    ...choiceEndpoints(deps),
  ];
}

function choiceEndpoints({ db, canMail }: Deps): readonly ConsoleEndpoint[] {
  const common = { path: '/session/alerts', tag: 'Alerts', permission: 'session.own' } as const;
  const read = async (own: ReturnType<typeof signedIn>) => {
    const { adminId, email } = own;
    const role = highestRole(own);
    const chosen = await store.listChoices(db, adminId);
    const kinds = kindsOf(role).map((kind) => {
      const { name, of } = conditionKinds[kind];
      return { kind, name, of, isOn: isWanted(role, kind, chosen) };
    });
    // What concerns the whole service is told to owners.
    const told = role === 'owner' ? kinds : kinds.filter(({ of }) => of === 'app');
    return { result: { email, canMail, digest: digestOf(chosen), kinds: told } };
  };
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      operationId: 'getOwnAlerts',
      summary: 'What one is told by mail',
      answer: recordAnswer(choicesSchema, choicesExample),
      errors: [],
      handle: ({ admin }) => read(signedIn(admin)),
    }),
    consoleEndpoint({
      ...common,
      method: 'PUT',
      operationId: 'changeOwnAlerts',
      summary: 'Choose what one is told by mail',
      body: {
        schema: body,
        example: { kinds: { silent: false }, digest: 'daily' },
        read: (sent) => shape.readUpdate(sent).set,
      },
      answer: recordAnswer(choicesSchema, choicesExample),
      errors: ['ValidationError'],
      async handle({ admin, body: { digest, kinds = {} } }) {
        const own = signedIn(admin);
        const seen = new Set<string>(kindsOf(highestRole(own)));
        const hidden = Object.keys(kinds).find((kind) => !seen.has(kind));
        if (hidden !== undefined)
          throw fail('ValidationError', {
            message: `Your role does not see ${hidden}.`,
            details: [{ field: `kinds.${hidden}`, problem: 'is not seen by your role' }],
          });
        if (digest !== undefined) await store.saveChoice(db, own.adminId, 'digest', digest);
        for (const [kind, isOn] of Object.entries(kinds))
          if (isOn !== undefined) await store.saveChoice(db, own.adminId, kind, isOn ? 'on' : 'off');
        return read(own);
      },
    }),
  ];
}

const view = (row: store.AlertRow) => ({
  alertId: row.alert_id,
  key: row.alert_key,
  kind: row.kind,
  isGrave: row.is_grave === 1,
  title: row.title,
  text: row.text,
  begunAt: isoTime(row.begun_at ?? row.first_seen_at),
  toldAt: row.told_at === null ? null : isoTime(row.told_at),
  endedAt: row.ended_at === null ? null : isoTime(row.ended_at),
});
