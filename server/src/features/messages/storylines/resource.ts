import { Type } from 'typebox';
import { deliveryRuleProblems, deliveryRulesSchema } from '../../../access/delivery-rules.ts';
import { experimentMembers, experimentProblems } from '../../../access/experiment.ts';
import type { Problem } from '../../../base/errors.ts';
import { isWebAddress } from '../../../base/web-address.ts';
import { defineTable, text as textColumn } from '../../../db/table.ts';
import { translatedMembers, translationProblems } from '../../../delivery/push/translations.ts';
import { madeRecord, otherExampleId } from '../../../http/answers.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { defineResource } from '../../../resources/define.ts';
import { boolean, json, madeMembers, number, text } from '../../../resources/members/members.ts';
import { recordsOf } from '../../../resources/table.ts';

const headerMembers = { title: Type.String({ minLength: 1, maxLength: 50 }), isEnabled: Type.Boolean() };

export const storylineShape = defineShape(Type.Object(headerMembers));
export const storylineExample = { title: 'A morning in the museum', isEnabled: true };
const storylineRecord = madeRecord(headerMembers, storylineExample);

const address = (what: string) => Type.Optional(Type.String({ description: `${what}, an http or https address` }));
const day = Type.Object({
  dayName: Type.Enum(['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']),
  checked: Type.Boolean(),
});

/** What a visitor reads and sees. */
const shownMembers = {
  urlImageAndroid: address('Image for Android'),
  urlImageIOS: address('Image for iOS'),
  urlPage: address('Web page'),
  urlVideo: address('Video'),
  alertTitle: Type.Optional(Type.String()),
  alertMessage: Type.Optional(Type.String()),
};

const detailMembers = {
  beacons: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    minItems: 1,
    maxItems: 1000,
    description: 'objectIds of beacons',
  }),
  campaign: Type.Enum(['TEXT', 'URL', 'IMAGE', 'VIDEO']),
  event: Type.Enum(['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR']),
  showOn: Type.Array(day, { description: 'The days on which it runs; a day that is not named is unchecked' }),
  ...shownMembers,
  delivery: Type.Optional(deliveryRulesSchema),
  ...experimentMembers,
  ...translatedMembers(shownMembers, 'the message'),
};

function addressProblems(value: Readonly<Record<string, unknown>>, within = ''): Problem[] {
  return ['urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo']
    .filter((name) => value[name] !== undefined && !isWebAddress(value[name]))
    .map((name) => ({ field: `${within}${name}`, problem: 'must be an http or https address' }));
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
    ...experimentProblems(value),
    ...translationProblems(value, Object.keys(shownMembers)),
    ...Object.entries(value.translations ?? {}).flatMap(([tag, shown]) =>
      addressProblems(shown, `translations.${tag}.`),
    ),
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

const detailRecord = madeRecord(detailMembers, detailExample);

/** As in the list of all storylines' scenarios; below its storyline, a record has only the specified members. */
export const looseDetailRecord = {
  schema: Type.Object({
    ...detailRecord.schema.properties,
    storylineId: Type.String({ description: 'The objectId of the storyline that it belongs to' }),
  }),
  example: { ...detailRecord.example, storylineId: otherExampleId },
};

const tag: Tag = {
  name: 'Storylines',
  description: 'A header with many scenarios, each with a campaign, an event and a weekly schedule.',
  place: 30,
  console: { read: 'content.read', write: 'content.write' },
};

export const storylines = defineResource({
  owner: 'storylines',
  table: 'storylines',
  noun: ['storyline', 'storylines'],
  tag,
  path: '/storylines',
  record: storylineRecord,
  body: { shape: storylineShape, example: storylineExample },
  members: {
    objectId: text('object_id'),
    title: text('title'),
    isEnabled: boolean('is_enabled'),
    ...madeMembers,
  },
  users: ['created_by'],
  indexes: { storylines_created_by: { on: ['app_id', 'created_by', 'object_id'] } },
  rules: 'storylines',
  defaultLimit: 1000,
});

const detailColumns = {
  objectId: text('object_id'),
  beacons: json('beacons'),
  campaign: text('campaign'),
  event: text('event'),
  showOn: json('show_on'),
  urlImageAndroid: text('url_image_android', { optional: true }),
  urlImageIOS: text('url_image_ios', { optional: true }),
  urlPage: text('url_page', { optional: true }),
  urlVideo: text('url_video', { optional: true }),
  alertTitle: text('alert_title', { optional: true }),
  alertMessage: text('alert_message', { optional: true }),
  delivery: json('delivery', { optional: true }),
  goal: json('goal', { optional: true }),
  holdout: number('holdout', { optional: true }),
  variants: json('variants', { optional: true }),
  language: text('language', { optional: true }),
  translations: json('translations', { optional: true }),
  ...madeMembers,
};

export const details = defineResource({
  owner: 'storylines',
  table: 'storyline_details',
  noun: ['scenario', 'scenarios of a storyline'],
  title: ['StorylineDetail', 'StorylineDetails'],
  tag,
  path: '/storylines/:objectId/detail',
  idName: 'detailId',
  parameters: { objectId: 'The objectId of the storyline', detailId: 'The objectId of the scenario' },
  record: detailRecord,
  body: { shape: detailShape, example: detailExample },
  members: detailColumns,
  internal: { storyline_id: textColumn },
  users: ['created_by'],
  indexes: {
    storyline_details_header: { on: ['app_id', 'storyline_id', 'object_id'] },
    storyline_details_created_by: { on: ['app_id', 'created_by', 'object_id'] },
  },
  childOf: ['storylines'],
  rules: 'scenarios',
  defaultLimit: 1000,
});

/** Scenarios outside their storyline, with the storyline in each record. */
export const looseDetails = recordsOf(details.table, { ...detailColumns, storylineId: text('storyline_id') });

export const scenarioBeacons = defineTable({
  name: 'scenario_beacons',
  owner: 'storylines',
  columns: { app_id: textColumn, beacon_id: textColumn, detail_id: textColumn },
  key: ['app_id', 'beacon_id', 'detail_id'],
  indexes: { scenario_beacons_detail: { on: ['app_id', 'detail_id'] } },
  childOf: ['storyline_details'],
});
