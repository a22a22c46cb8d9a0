import { type Static, Type } from 'typebox';
import { fail, type Problem } from '../../errors.ts';
import { defineShape, isObject } from '../../http/shape.ts';
import type { FieldLookup } from '../../query/fields.ts';
import { parseWhere, parseWhereValue } from '../../query/parse.ts';

/** What the push services take at most, for everything together. */
export const maxDataBytes = 4096;

const dataSchema = Type.Object(
  {
    title: Type.Optional(Type.String()),
    alert: Type.Optional(Type.String({ description: 'The text that is shown' })),
    uri: Type.Optional(Type.String({ description: 'What a tap opens' })),
    badge: Type.Optional(Type.Integer({ minimum: 0, description: 'The number on the icon; 0 removes it' })),
    sound: Type.Optional(Type.String()),
  },
  { description: 'The message; further members are handed to the app as they are. At most 4096 bytes of JSON' },
);
const whereSchema = Type.Object(
  {},
  {
    description:
      'Which installations: a condition on their fields in the where-language, as an object or as its JSON text. ' +
      'Without it, and with {}, every installation of the app',
  },
);
export const pushSchema = Type.Object({ data: dataSchema, where: Type.Optional(whereSchema) });

const dataShape = defineShape(Type.Object({ data: dataSchema }), {
  rules: ({ data }) =>
    data === undefined || isObject(data) ? [] : [{ field: 'data', problem: 'must be a JSON object' }],
});

export interface Push {
  readonly data: Static<typeof dataSchema>;
  /** The condition as the caller wrote it, as JSON text; null for every installation. */
  readonly audience: string | null;
}

/**
 * Reads the body of a push. Only where no `where` is sent does it go to everyone: null, a misspelt field and an
 * unknown operator are errors.
 *
 * @throws Failure ValidationError, ObjectTooLarge, InvalidQuery
 */
export function readPush(body: unknown, fields: FieldLookup): Push {
  const { data } = dataShape.readCreate(body);
  const size = Buffer.byteLength(JSON.stringify(data));
  if (size > maxDataBytes) {
    const details: Problem[] = [
      { field: 'data', problem: `has ${size} bytes as JSON; at most ${maxDataBytes} can be delivered` },
    ];
    throw fail('ObjectTooLarge', { message: `data ${details[0]?.problem}.`, details });
  }
  const where = isObject(body) ? body['where'] : undefined;
  if (where === undefined) return { data, audience: null };
  if (typeof where === 'string') {
    parseWhere(where, fields);
    return { data, audience: JSON.stringify(JSON.parse(where)) };
  }
  parseWhereValue(where, fields);
  return { data, audience: JSON.stringify(where) };
}

export const pushExample = {
  data: { title: 'Tonight', alert: 'The museum is open until 22:00.', uri: 'https://museum.example.org/tonight' },
  where: { channels: 'news', deviceType: { $in: ['ios', 'android'] } },
};
