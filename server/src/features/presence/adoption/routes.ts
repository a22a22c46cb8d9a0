import { tagKey } from '@pharos/engine';
import { type Static, Type } from 'typebox';
import { fail, invalid } from '../../../base/errors.ts';
import {
  deletedAnswer,
  exampleCreated,
  exampleUpdated,
  isoTime,
  listAnswer,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import type { Context } from '../../context.ts';
import { maxText, writtenUuid } from './heard-nearby.ts';
import {
  deleteIgnored,
  deleteRule,
  type HeardBy,
  listIgnored,
  listRules,
  listStrangers,
  maxIgnored,
  maxRules,
  saveIgnored,
  saveRule,
} from './store.ts';

const tag: Tag = {
  name: 'Adoption',
  description: 'What gateways hear and the app does not know, and what becomes of it.',
  place: 107,
  console: { read: 'beacons.read', write: 'beacons.write' },
};

export interface AdoptionDeps extends Pick<Context, 'db' | 'now'> {
  /** Stores what this node has heard and not stored yet. */
  readonly save: (appId: string) => Promise<void>;
  readonly leaveOutKnown: (appId: string, heard: readonly HeardBy[]) => Promise<readonly HeardBy[]>;
}

const reading = [{ of: 'beacons', verb: 'list' }] as const;
const writing = [{ of: 'beacons', verb: 'create' }] as const;

export const adoptionEndpoints = (deps: AdoptionDeps): Endpoint[] => [
  heardEndpoint(deps),
  ...ignoredEndpoints(deps),
  ...ruleEndpoints(deps),
];

const maxShown = 200;
/** The most tags that are checked against known ones. */
const maxJudged = 1_000;

const tagSchema = Type.String({ description: 'What `metadata.advertisedId` of its installation would be' });
const uuidSchema = Type.String({ description: 'As it is usually written, in capitals' });

const heardSchema = Type.Object({
  tag: tagSchema,
  kind: Type.Enum(['ibeacon', 'altbeacon', 'eddystone', 'url', 'kontakt', 'named', 'address'], {
    description: 'How it names itself; `named`: as the gateway calls it',
  }),
  uuid: Type.Optional(uuidSchema),
  major: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  minor: Type.Optional(Type.Integer({ minimum: 0, maximum: 65535 })),
  address: Type.Optional(Type.String({ description: '12 hexadecimal digits, if it stays the same' })),
  name: Type.Optional(Type.String()),
  battery: Type.Optional(Type.Number({ description: 'Per cent' })),
  rssi: Type.Integer({ description: 'dBm, smoothed, at the gateway that hears it best' }),
  gatewayId: Type.String({ description: 'That gateway' }),
  heardAt: timestampSchema,
});

const heardExample = {
  tag: 'iBeacon:B9407F30-F5F8-466E-AFF9-25556B57FE6D-1-12',
  kind: 'ibeacon' as const,
  ...{ uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12, address: 'c3000025ef6a', battery: 88 },
  ...{ rssi: -47, gatewayId: 'ac233fc03641', heardAt: exampleUpdated },
};

function heardEndpoint({ db, now, save, leaveOutKnown }: AdoptionDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/adoption/heard',
    operationId: 'listHeardNearby',
    tag,
    summary: 'List what gateways hear and the app does not know',
    description:
      'What was heard in the last ten minutes, the strongest first, at most 200: no beacons, tags and ignored ones. Phones and watches, whose ' +
      'random addresses change, are not among them.',
    grant: 'manager',
    scopes: reading,
    answer: listAnswer(heardSchema, heardExample),
    errors: ['Timeout'],
    handle: async ({ app: { appId } }) => {
      await save(appId);
      const ignored = new Set((await listIgnored(db, appId)).map((one) => one.tag_key));
      const heard = (await listStrangers(db, appId, now())).filter((one) => !ignored.has(tagKey(one.tag)));
      const unknown = await leaveOutKnown(appId, heard.slice(0, maxJudged));
      return { results: unknown.slice(0, maxShown).map(shown) };
    },
  });
}

function shown({ tag, identity, address, name, battery, rssi, gateway, at }: HeardBy): Static<typeof heardSchema> {
  const numbers =
    identity?.kind === 'ibeacon' || identity?.kind === 'altbeacon'
      ? { uuid: writtenUuid(identity.uuid), major: identity.major, minor: identity.minor }
      : {};
  return {
    ...{ tag, kind: identity?.kind ?? 'address', ...numbers },
    ...(address === undefined ? {} : { address }),
    ...(name === undefined ? {} : { name }),
    ...(battery === undefined ? {} : { battery }),
    ...{ rssi: Math.round(rssi), gatewayId: gateway, heardAt: isoTime(at) },
  };
}

const ignoredSchema = Type.Object({ tag: tagSchema, ignoredAt: timestampSchema });
const ignoredExample = { tag: 'f41f0c28cbd6', ignoredAt: exampleCreated };

function ignoredEndpoints({ db }: AdoptionDeps): Endpoint[] {
  const path = '/adoption/ignored/:tag';
  return [
    endpoint({
      method: 'GET',
      path: '/adoption/ignored',
      operationId: 'listIgnoredTags',
      tag,
      summary: 'List what is not shown as heard nearby, the newest first',
      grant: 'manager',
      scopes: reading,
      answer: listAnswer(ignoredSchema, ignoredExample),
      errors: ['Timeout'],
      handle: async ({ app: { appId } }) => ({
        results: (await listIgnored(db, appId)).map((one) => ({ tag: one.tag, ignoredAt: isoTime(one.ignored_at) })),
      }),
    }),
    endpoint({
      method: 'PUT',
      path,
      operationId: 'ignoreTag',
      tag,
      summary: 'Show a tag no more as heard nearby',
      description: `At most ${maxIgnored} tags are ignored.`,
      grant: 'manager',
      scopes: writing,
      parameters: { tag: 'As the list has it' },
      answer: recordAnswer(Type.Object({}), {}),
      errors: ['ValidationError', 'Timeout'],
      handle: async ({ app: { appId }, params, now }) => {
        const name = params['tag'] ?? '';
        if (name.length > maxText) throw invalid('tag', `must have at most ${maxText} characters`);
        if (!(await saveIgnored(db, appId, name, now)))
          throw invalid('tag', `is one too many: ${maxIgnored} are ignored already`);
        return { result: {} };
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      operationId: 'stopIgnoringTag',
      tag,
      summary: 'Show a tag as heard nearby again',
      grant: 'manager',
      scopes: writing,
      parameters: { tag: 'As the list has it' },
      answer: deletedAnswer,
      errors: ['ObjectNotFound', 'Timeout'],
      handle: async ({ app: { appId }, params }) => {
        if ((await deleteIgnored(db, appId, params['tag'] ?? '')) === 0)
          throw fail('ObjectNotFound', 'This tag is not ignored.');
        return { result: {} };
      },
    }),
  ];
}

const ruleMembers = {
  maxBeacons: Type.Integer({
    minimum: 1,
    maximum: 5_000,
    description: 'With this UUID, those of the app included; then the rule adds no more',
  }),
};
const ruleShape = defineShape(Type.Object(ruleMembers));
const ruleSchema = Type.Object({ uuid: uuidSchema, ...ruleMembers, createdAt: timestampSchema });
const ruleExample = { uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', maxBeacons: 100, createdAt: exampleCreated };

function uuidOf({ uuid = '' }: Readonly<Record<string, string>>): string {
  const key = uuid.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(key)) throw invalid('uuid', 'must have 32 hexadecimal digits');
  return key;
}

function ruleEndpoints({ db }: AdoptionDeps): Endpoint[] {
  const path = '/adoption/rules/:uuid';
  return [
    endpoint({
      method: 'GET',
      path: '/adoption/rules',
      operationId: 'listAdoptionRules',
      tag,
      summary: 'List the UUIDs whose beacons are added automatically, the oldest first',
      grant: 'manager',
      scopes: reading,
      answer: listAnswer(ruleSchema, ruleExample),
      errors: ['Timeout'],
      handle: async ({ app: { appId } }) => ({
        results: (await listRules(db, appId)).map((rule) => ({
          ...{ uuid: writtenUuid(rule.uuid_key), maxBeacons: rule.max_beacons, createdAt: isoTime(rule.created_at) },
        })),
      }),
    }),
    endpoint<Static<typeof ruleShape.schema>>({
      method: 'PUT',
      path,
      operationId: 'saveAdoptionRule',
      tag,
      summary: 'Add beacons with this UUID when a gateway hears them',
      description: `Each is named by its major and minor number. An app has at most ${maxRules} rules.`,
      grant: 'manager',
      scopes: writing,
      parameters: { uuid: 'With or without dashes' },
      body: ruleShape.body({ maxBeacons: 100 }),
      answer: recordAnswer(Type.Object({}), {}),
      errors: ['ValidationError', 'Timeout'],
      handle: async ({ app: { appId }, params, body: { maxBeacons }, now }) => {
        const uuid = uuidOf(params);
        if (!(await saveRule(db, { app_id: appId, uuid_key: uuid, max_beacons: maxBeacons, created_at: now })))
          throw invalid('uuid', `is one too many: there are ${maxRules} rules already`);
        return { result: {} };
      },
    }),
    endpoint({
      method: 'DELETE',
      path,
      operationId: 'deleteAdoptionRule',
      tag,
      summary: 'Add beacons with this UUID no more; those that are there stay',
      grant: 'manager',
      scopes: writing,
      parameters: { uuid: 'With or without dashes' },
      answer: deletedAnswer,
      errors: ['ObjectNotFound', 'ValidationError', 'Timeout'],
      handle: async ({ app: { appId }, params }) => {
        if ((await deleteRule(db, appId, uuidOf(params))) === 0)
          throw fail('ObjectNotFound', 'There is no rule for this UUID.');
        return { result: {} };
      },
    }),
  ];
}
