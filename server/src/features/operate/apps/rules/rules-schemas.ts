import { type Static, Type } from 'typebox';
import { memberRoles, presets, verbs, words } from '../../../../access/rules/rule-types.ts';
import { objectIdSchema } from '../../../../http/answers.ts';

/** Rules of an app as the management interface takes and shows them. */

const roles = Type.Array(Type.Enum([...memberRoles]));
const ruleSchema = Type.Union([Type.Enum([...words]), Type.Object({}, { additionalProperties: true })], {
  description:
    'A word, or a where over the record, in which $auth.userId, $auth.role, $auth.installationId and $auth.venues stand for the caller',
});
const members = Type.Record(
  Type.String(),
  Type.Object({ hidden: Type.Optional(roles), readOnly: Type.Optional(roles) }),
  { description: 'The callers from whom a member is hidden. app: those who are not signed in' },
);
const storedRules = Type.Partial(
  Type.Object({
    ...Object.fromEntries(verbs.map((verb) => [verb, ruleSchema])),
    owner: Type.String({ description: 'Of buckets: the member that names the owner, such as metadata.assignee' }),
    unowned: Type.Enum(['user', 'manager'], {
      description: 'Who may change and delete what has no owner, where the rule says owner',
    }),
    members,
  }),
);

/** What an app says itself. */
export const storedSchema = Type.Partial(
  Type.Object({
    preset: Type.Enum([...presets]),
    resources: Type.Record(Type.String(), storedRules),
    buckets: Type.Record(Type.String(), storedRules, {
      description: 'By name; * for buckets without rules of their own',
    }),
  }),
);

const described = Type.Object({
  noun: Type.String(),
  rules: Type.Record(
    Type.String(),
    Type.Object({
      rule: ruleSchema,
      isOwn: Type.Boolean({ description: 'Said by the app itself, and not by its preset' }),
      inherited: Type.Union(ruleSchema.anyOf, {
        description: 'What holds, or would hold, where the app itself says nothing',
      }),
      sentence: Type.String(),
      words: Type.Array(Type.Enum([...words])),
      sentences: Type.Record(Type.String(), Type.String(), { description: 'What each of the words would mean' }),
      takesWhere: Type.Boolean(),
    }),
  ),
  owner: Type.String(),
  unowned: Type.Optional(Type.Enum(['user', 'manager'])),
  members,
});

export const openSchema = Type.Object(
  {
    sentence: Type.String(),
    parts: Type.Array(
      Type.Object({
        to: Type.Enum(['app', 'user'], { description: 'app: anyone with the app; user: anyone who signs up' }),
        what: Type.String({ description: 'As the end of a sentence that begins with: They can' }),
      }),
    ),
  },
  { description: 'What is left to strangers' },
);

export const rulesSchema = Type.Object({
  preset: Type.Enum([...presets]),
  presets: Type.Array(Type.Enum([...presets])),
  variables: Type.Array(Type.String(), { description: 'What a where may know of the caller' }),
  stored: storedSchema,
  open: openSchema,
  resources: Type.Record(Type.String(), described),
  buckets: Type.Record(Type.String(), described),
});

export const trySchema = Type.Object({
  caller: Type.Enum(['app', 'user', 'manager'], {
    description: 'app: with the app key alone; manager: any user with that role',
  }),
  userId: Type.Optional(Type.String({ description: 'Which user; with the caller user' })),
  resource: Type.Optional(Type.String({ description: 'Either a resource, such as beacons …' })),
  bucket: Type.Optional(Type.String({ description: '… or the name of a bucket' })),
  objectId: Type.Optional(Type.String({ description: 'The record in question; without it, all of them' })),
  rules: Type.Optional(
    Type.Object({}, { additionalProperties: true, description: 'Rules to try; those of the app without it' }),
  ),
});

const triedVerb = Type.Object({
  outcome: Type.Enum(['allowed', 'refused', 'some'], { description: 'some: it depends on the record' }),
  status: Type.Optional(Type.Integer({ description: 'What a request would be answered, if it is refused' })),
  reason: Type.String(),
  sentence: Type.String({ description: 'What the rule means' }),
});
export type TriedVerb = Static<typeof triedVerb>;

export const triedSchema = Type.Object({
  caller: Type.Object({ role: Type.Enum([...memberRoles]), userId: Type.Optional(objectIdSchema) }),
  verbs: Type.Record(Type.String(), triedVerb),
});
