import { Type } from 'typebox';
import { deliveryRuleProblems, deliveryRulesSchema } from '../../access/delivery-rules.ts';
import type { Problem } from '../../base/errors.ts';
import { isWebAddress } from '../../base/web-address.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  recordStamps,
} from '../../http/answers.ts';
import { defineShape } from '../../http/shape.ts';

const headerMembers = { title: Type.String({ minLength: 1, maxLength: 50 }), isEnabled: Type.Boolean() };

export const storylineShape = defineShape(Type.Object(headerMembers));
export const storylineExample = { title: 'A morning in the museum', isEnabled: true };
export const storylineRecord = {
  schema: Type.Object({ objectId: objectIdSchema, ...headerMembers, ...recordStamps }),
  example: { objectId: exampleId, ...storylineExample, createdAt: exampleCreated, updatedAt: exampleUpdated },
};

const address = (what: string) => Type.Optional(Type.String({ description: `${what}, an http or https address` }));
const day = Type.Object({
  dayName: Type.Enum(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']),
  checked: Type.Boolean(),
});

const detailMembers = {
  beacons: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'objectIds of beacons',
  }),
  campaign: Type.Enum(['TEXT', 'URL', 'IMAGE', 'VIDEO']),
  event: Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']),
  showOn: Type.Array(day, { description: 'The days it runs; a day that is not named is unchecked' }),
  urlImageAndroid: address('Image for Android'),
  urlImageIOS: address('Image for iOS'),
  urlPage: address('Web page'),
  urlVideo: address('Video'),
  alertTitle: Type.Optional(Type.String()),
  alertMessage: Type.Optional(Type.String()),
  delivery: Type.Optional(deliveryRulesSchema),
};

function addressProblems(value: Readonly<Record<string, unknown>>): Problem[] {
  return ['urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo']
    .filter((name) => value[name] !== undefined && !isWebAddress(value[name]))
    .map((field) => ({ field, problem: 'must be an http or https address' }));
}

function dayProblems(days: readonly { readonly dayName: string }[] = []): Problem[] {
  const names = days.map(({ dayName }) => dayName);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => ({ field: 'showOn', problem: `must name ${name} only once` }));
}

export const detailShape = defineShape(Type.Object(detailMembers), {
  rules: (value) => [
    ...addressProblems(value),
    ...dayProblems(value.showOn),
    ...deliveryRuleProblems('delivery', value.delivery),
  ],
  // Older clients spell this one member differently.
  aliases: { urlImageiOS: 'urlImageIOS' },
});

export const detailExample = {
  beacons: [otherExampleId],
  campaign: 'TEXT',
  event: 'ENTER',
  showOn: [
    { dayName: 'Mon', checked: true },
    { dayName: 'Tue', checked: true },
  ],
  alertTitle: 'Welcome',
  alertMessage: 'The tour starts on your left.',
};

export const detailRecord = {
  schema: Type.Object({ objectId: objectIdSchema, ...detailMembers, ...recordStamps }),
  example: { objectId: exampleId, ...detailExample, createdAt: exampleCreated, updatedAt: exampleUpdated },
};

/** As in the list of all storylines' scenarios; below its storyline, a record has only the specified members. */
export const looseDetailRecord = {
  schema: Type.Object({
    ...detailRecord.schema.properties,
    storylineId: Type.String({ description: 'The objectId of the storyline that it belongs to' }),
  }),
  example: { ...detailRecord.example, storylineId: otherExampleId },
};
