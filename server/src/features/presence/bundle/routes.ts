import { Type } from 'typebox';
import { purposes } from '../../../access/consent.ts';
import { type AppPolicy, defaultPolicy, policySchema } from '../../../access/policy.ts';
import { fail } from '../../../base/errors.ts';
import { otherExampleId } from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint, JsonText, type Tag } from '../../../http/endpoint.ts';
import { entityTag } from '../../../resources/entity-tag.ts';
import { readSpot, spotQuery } from '../../near.ts';
import { cut, kinds } from './parts.ts';
import { type BundleReads, type Place, readBundle } from './read.ts';

const bundleTag: Tag = {
  name: 'Bundle',
  description: 'What a phone keeps of a place, to decide without a network.',
  place: 105,
};

const decidingMembers = [
  ...(['oneZone', 'sensitivity', 'polite', 'delivery', 'timeZone', 'pushTimeToLive', 'retentionDays'] as const),
  ...(['consent', 'pseudonyms'] as const),
] satisfies readonly (keyof AppPolicy)[];

const decidingOf = (policy: AppPolicy) => Object.fromEntries(decidingMembers.map((name) => [name, policy[name]]));

const { properties } = policySchema;
const policy = Object.fromEntries(decidingMembers.map((name) => [name, properties[name]]));

const records = Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true })));
const part = Type.Object({
  ...Object.fromEntries(kinds.map((kind) => [kind, records])),
  radio: Type.Optional(
    Type.Array(
      Type.Object({
        beaconId: Type.String(),
        power: Type.Union([Type.Number(), Type.Null()]),
        loss: Type.Number(),
        exponent: Type.Number(),
      }),
      {
        description:
          'What traffic has taught about the radio of a beacon, for the measured power that it was set to (dBm)',
      },
    ),
  ),
  signals: Type.Optional(
    Type.Array(Type.Object({ beaconId: Type.String() }, { additionalProperties: true }), {
      description: 'What surveys say of the signal of a beacon over each floor, for the engine on the phone',
    }),
  ),
  pictures: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Addresses of what is shown with messages, and of the plans of floors, which are in `files`',
    }),
  ),
});

const bundleSchema = Type.Object({
  tag: Type.String({ description: 'Of all parts; send it as `since`' }),
  isWhole: Type.Boolean({ description: 'False: only the parts that differ from those of `since`' }),
  app: Type.Object({
    policy: Type.Object(policy, { description: 'What the app has set for all messages' }),
    purposes: Type.Array(Type.String(), { description: 'What visitors are asked to agree to' }),
    consentTexts: properties.consentTexts,
  }),
  withheld: Type.Array(Type.Enum([...kinds]), {
    description: 'Lists that the caller may not read, or not enough of to decide by',
  }),
  parts: Type.Record(Type.String({ pattern: '^\\d+$' }), part, {
    description:
      'Records as their lists answer them, in parts by number. A part takes the place of the former one: what is gone from it was ' +
      'deleted, or is hidden from the caller now',
  }),
});

const example = {
  tag: 'A'.repeat(256),
  isWhole: false,
  app: {
    policy: { ...decidingOf(defaultPolicy), timeZone: 'Europe/Vienna' },
    purposes,
    consentTexts: {
      version: '2026-10',
      language: 'en',
      messages: 'Tell me about what I am standing in front of.',
      translations: { de: { messages: 'Erzähl mir von dem, wovor ich stehe.' } },
    },
  },
  withheld: [],
  parts: { 7: { radio: [{ beaconId: otherExampleId, power: -59, loss: 2.1, exponent: 2.3 }] } },
};

const maxNamed = 50;
const ids = (text: string | undefined, name: string): readonly string[] => {
  const named = (text ?? '').split(',').filter((id) => id !== '');
  const problem = `names more than ${maxNamed}`;
  if (named.length > maxNamed)
    throw fail('ValidationError', { message: `${name} ${problem}.`, details: [{ field: name, problem }] });
  return named;
};

function placeOf({ query }: Pick<Call<undefined, undefined>, 'query'>): Place {
  return {
    venues: query['venues'] === undefined ? undefined : ids(query['venues'], 'venues'),
    near: ids(query['near'], 'near'),
    spot: readSpot(query),
  };
}

const list = Type.String({ maxLength: 4_000 });

export function bundleEndpoints(reads: BundleReads): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/bundle',
      operationId: 'getBundle',
      tag: bundleTag,
      summary: 'Get what a phone needs to decide without a network',
      description:
        'Venues, floors, zones, beacons, notifications and storylines with their scenarios, as the caller finds them in the lists, and what was ' +
        'learned of the radio: of some venues, of those where beacons are that the phone hears, of those around it, or of the whole app. Lists whose deciding ' +
        'members are hidden from the caller are left out. With `since` only what has changed is answered.',
      grant: 'visitor',
      scopes: [{ of: 'beacons', verb: 'list' }],
      query: [
        {
          name: 'venues',
          description: 'objectIds of venues, joined by commas; without it, `near` and `latitude`, all of the app',
          schema: list,
        },
        {
          name: 'near',
          description: 'objectIds of beacons that are heard: their venues, and those without one',
          schema: list,
        },
        ...spotQuery,
        { name: 'since', description: 'The `tag` of what the phone has', schema: Type.String({ maxLength: 1_000 }) },
      ],
      answer: {
        status: 200,
        description: 'All of it, or what has changed.',
        schema: Type.Object({ result: bundleSchema }),
        example: { result: example },
      },
      errors: ['ValidationError', 'InvalidQuery', 'Timeout'],
      hasEntityTag: true,
      isKept: true,
      handle: async (call) => {
        const { kept, withheld } = await readBundle(reads, call, placeOf(call));
        const { tag, isWhole, parts } = cut(kept, call.query['since']);
        const { policy } = call.app;
        const app = { policy: decidingOf(policy), purposes, consentTexts: policy.consentTexts };
        const text = JSON.stringify({
          result: { tag, isWhole, app, withheld, parts },
        });
        return new JsonText(text, { etag: entityTag(text) });
      },
    }),
  ];
}
