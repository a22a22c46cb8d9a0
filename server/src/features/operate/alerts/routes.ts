import { Type } from 'typebox';
import { highestRole, standingIn } from '../../../access/reach.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { entityTag } from '../../../resources/entity-tag.ts';
import { type ConditionKind, conditionKinds } from '../../condition.ts';
import type { Context } from '../../context.ts';
import {
  digestOf,
  digests,
  isUrgent,
  isWanted,
  isWantedOnPhone,
  kindsOf,
  phoneChoice,
  urgentKinds,
} from './choices.ts';
import * as store from './store.ts';

/** How many phones an administrator has paired, in all apps. */
type CountPhones = (db: Db, adminId: string) => Promise<number>;

interface Deps extends Pick<Context, 'db' | 'canMail'> {
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  readonly countPhones: CountPhones;
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
const choicesSchema = Type.Object({
  email: Type.String(),
  canMail: Type.Boolean({ description: 'Whether a mail server is set up' }),
  phones: Type.Integer({ minimum: 0, description: 'How many own phones are paired, in all apps' }),
  digest: Type.Enum(digests),
  kinds: Type.Array(
    Type.Object({
      kind: kindSchema,
      name: Type.String(),
      of: Type.Enum(['app', 'service']),
      isOn: Type.Boolean({ description: 'By mail' }),
      onPhone: Type.Optional(
        Type.Boolean({ description: 'By a push to the own phones as well; absent where this cannot be chosen' }),
      ),
    }),
    { description: 'Those that the role may see' },
  ),
});
const body = Type.Object({
  digest: Type.Optional(Type.Enum(digests)),
  kinds: Type.Optional(choicesOf(Object.keys(conditionKinds))),
  onPhone: Type.Optional(choicesOf(urgentKinds)),
});
const shape = defineShape(body);

function choicesOf(kinds: readonly string[]) {
  const members = Object.fromEntries(kinds.map((kind) => [kind, Type.Boolean()] as const));
  return Type.Partial(Type.Object(members), { additionalProperties: false });
}

const rememberedMs = 7 * 86_400_000;

export function alertEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { db, canMail, assertApp } = deps;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/alerts',
      operationId: 'listAlerts',
      summary: 'List what has been told, and what was over in the last week',
      // Everybody's, and yet not `session.own`, which comes before a second factor.
      permission: 'apps.read',
      narrows: 'apps',
      query: [{ name: 'app', description: 'Of this app; without it of the whole service', schema: Type.String() }],
      answer: {
        status: 200,
        schema: Type.Object({
          results: Type.Array(alertSchema),
          canMail: Type.Boolean({ description: 'Whether a mail server is set up' }),
        }),
      },
      async handle({ query, admin, now }) {
        const appId = query['app'];
        const own = signedIn(admin);
        const standing = appId === undefined ? undefined : standingIn(own, appId);
        // One that the role does not reach does not exist.
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

function choiceEndpoints({ db, canMail, countPhones }: Deps): readonly ConsoleEndpoint[] {
  const common = { path: '/session/alerts', permission: 'session.own' } as const;
  const read = async (db: Db, own: ReturnType<typeof signedIn>) => {
    const { adminId, email } = own;
    const role = highestRole(own);
    const chosen = await store.listChoices(db, adminId);
    const kinds = kindsOf(role).map((kind) => {
      const { name, of } = conditionKinds[kind];
      const onPhone = isUrgent(kind) ? { onPhone: isWantedOnPhone(role, kind, chosen) } : {};
      return { kind, name, of, isOn: isWanted(role, kind, chosen), ...onPhone };
    });
    // Owners are notified of what concerns the whole service.
    const notified = role === 'owner' ? kinds : kinds.filter(({ of }) => of === 'app');
    const phones = await countPhones(db, adminId);
    return { email, canMail, phones, digest: digestOf(chosen), kinds: notified };
  };
  const tagOf = ({ digest, kinds }: Awaited<ReturnType<typeof read>>) =>
    entityTag(JSON.stringify([digest, kinds.map(({ kind, isOn, onPhone }) => [kind, isOn, onPhone])]));
  return [
    consoleEndpoint({
      ...common,
      method: 'GET',
      operationId: 'getOwnAlerts',
      summary: 'What one is told by mail, and on the own phones',
      answer: recordAnswer(choicesSchema),
      handle: async ({ admin }) => ({ result: await read(db, signedIn(admin)) }),
      tagOf: ({ result }) => tagOf(result),
    }),
    consoleEndpoint({
      ...common,
      method: 'PUT',
      operationId: 'changeOwnAlerts',
      summary: 'Choose what one is told by mail, and on the own phones',
      body: {
        schema: body,
        example: { kinds: { silent: false }, digest: 'daily' },
        read: (sent) => shape.readUpdate(sent).set,
      },
      answer: recordAnswer(choicesSchema),
      takesIfMatch: true,
      async handle({ admin, body: { digest, kinds = {}, onPhone = {} }, assertUnchanged }) {
        const own = signedIn(admin);
        const seen = new Set<string>(kindsOf(highestRole(own)));
        for (const [member, choices] of Object.entries({ kinds, onPhone })) {
          const hidden = Object.keys(choices).find((kind) => !seen.has(kind));
          if (hidden !== undefined)
            throw fail('ValidationError', {
              message: `Your role does not see ${hidden}.`,
              details: [{ field: `${member}.${hidden}`, problem: 'is not seen by your role' }],
            });
        }
        return db.transaction(async (db) => {
          if (assertUnchanged) await store.lockChoices(db, own.adminId);
          assertUnchanged?.(tagOf(await read(db, own)));
          if (digest !== undefined) await store.saveChoice(db, own.adminId, 'digest', digest);
          for (const [kind, isOn] of Object.entries(kinds))
            if (isOn !== undefined) await store.saveChoice(db, own.adminId, kind, isOn ? 'on' : 'off');
          for (const kind of urgentKinds)
            if (onPhone[kind] !== undefined)
              await store.saveChoice(db, own.adminId, phoneChoice(kind), onPhone[kind] ? 'on' : 'off');
          return { result: await read(db, own) };
        });
      },
      tagOf: ({ result }) => tagOf(result),
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
