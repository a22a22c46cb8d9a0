import { isObject, ownMember, readInstant } from '@pharos/query';
import { Type } from 'typebox';
import { fail, type Problem } from '../../../../base/errors.ts';
import {
  exampleCreated,
  exampleId,
  exampleUpdated,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  recordStamps,
} from '../../../../http/answers.ts';
import { sentence } from '../../../../http/shape.ts';
import { columnTypes, type DeclaredType, type SlotColumns } from './slots.ts';

const reserved = ['objectId', 'createdAt', 'updatedAt'];
const columnForm = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const maxColumns = 200;

export const maxRecordBytes = 262_144;

/** @throws Failure InvalidBucketName */
export function assertBucketName(name: string): void {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,29}$/.test(name)) throw fail('InvalidBucketName');
}

const metadata = Type.Object({}, { description: 'The document: any JSON object of at most 256 KiB' });

export const recordBody = {
  schema: Type.Object({ metadata }),
  example: { metadata: { species: 'Kestrel', count: 2, seenAt: '2026-05-04T09:30:00.000Z' } },
};

export const recordSchema = Type.Object({
  objectId: objectIdSchema,
  metadata,
  createdBy: Type.Union([pointerSchema('_User'), Type.Null()], {
    description: 'The user to whom it belongs: who made it, unless it was handed over; null where nobody was signed in',
  }),
  ...recordStamps,
});
export const listedRecordSchema = Type.Object({
  ...recordSchema.properties,
  createdBy: Type.Optional(recordSchema.properties.createdBy),
});
export const recordExample = {
  objectId: exampleId,
  ...recordBody.example,
  createdBy: pointerExample('_User', otherExampleId),
  createdAt: exampleCreated,
  updatedAt: exampleUpdated,
};

export const schemaBody = {
  schema: Type.Object({
    column: Type.Record(
      Type.String({ pattern: columnForm.source }),
      Type.Object({ type: Type.Enum([...columnTypes]) }),
      {
        description: 'The type of each field',
      },
    ),
  }),
  example: { column: { species: { type: 'String' }, count: { type: 'Number' }, seenAt: { type: 'Date' } } },
};

export const schemaRecordSchema = Type.Object({
  objectId: objectIdSchema,
  metadata: Type.Object({}, { description: 'The column map' }),
  ...recordStamps,
});
export const schemaRecordExample = {
  objectId: exampleId,
  metadata: schemaBody.example.column,
  createdAt: exampleCreated,
  updatedAt: exampleUpdated,
};

/** The stored form of a `column` member: `{ name: { type } }`. */
export type ColumnMap = Readonly<Record<string, { readonly type: DeclaredType }>>;

/** @throws Failure InvalidSchema that lists every problem of the column map */
export function readColumnMap(body: unknown): ColumnMap {
  const problems: Problem[] = [];
  const column = isObject(body) ? ownMember(body, 'column') : undefined;
  if (isObject(body)) {
    const known = new Set(['column', 'metadata', ...reserved]);
    const unknown = Object.keys(body).filter((name) => !known.has(name));
    problems.push(...unknown.slice(0, 20).map((field) => ({ field, problem: 'is not a member of a schema' })));
  }
  if (!isObject(column) || Object.keys(column).length === 0) {
    problems.push({ field: 'column', problem: 'must map at least one field name to { "type": … }' });
  } else {
    problems.push(...columnProblems(column));
  }
  if (problems.length > 0) throw fail('InvalidSchema', { message: sentence(problems), details: problems });
  return column as ColumnMap;
}

function columnProblems(column: Readonly<Record<string, unknown>>): Problem[] {
  const entries = Object.entries(column);
  if (entries.length > maxColumns) return [{ field: 'column', problem: `must have at most ${maxColumns} fields` }];
  return entries.flatMap(([name, declared]) => {
    const field = `column.${name.slice(0, 80)}`;
    if (reserved.includes(name)) return [{ field, problem: 'is a reserved name' }];
    if (!columnForm.test(name))
      return [
        { field, problem: 'must be a letter or underscore, then up to 63 letters, digits, underscores or dashes' },
      ];
    if (!isObject(declared)) return [{ field, problem: 'must be an object { "type": … }' }];
    const extra = Object.keys(declared).filter((member) => member !== 'type');
    if (extra.length > 0)
      return [{ field, problem: `must have only the member type, not ${extra.slice(0, 5).join(', ')}` }];
    if (columnTypes.includes(declared['type'] as DeclaredType)) return [];
    return [{ field: `${field}.type`, problem: `must be one of ${columnTypes.join(', ')}` }];
  });
}

export function slotColumns(map: ColumnMap): SlotColumns {
  return Object.fromEntries(Object.entries(map).map(([name, { type }]) => [name, type]));
}

const typeNames: Record<DeclaredType, string> = {
  Number: 'a number',
  String: 'a string',
  Boolean: 'a boolean',
  Date: 'a date: an ISO 8601 string or {"__type":"Date","iso":"…"}',
};

function fits(type: DeclaredType, value: unknown): boolean {
  if (type === 'Date') return readInstant(value, true) !== undefined;
  return typeof value === type.toLowerCase();
}

/** @throws Failure InvalidSchema when a declared member has another type; absent and null are accepted */
export function assertFitsColumns(document: Readonly<Record<string, unknown>>, columns: SlotColumns): void {
  const problems: Problem[] = [];
  for (const [name, type] of Object.entries(columns)) {
    const value = ownMember(document, name);
    if (value === undefined || value === null || fits(type, value)) continue;
    problems.push({ field: `metadata.${name}`, problem: `must be ${typeNames[type]}` });
  }
  if (problems.length > 0) throw fail('InvalidSchema', { message: sentence(problems), details: problems });
}

/** The document as stored. @throws Failure ObjectTooLarge over 256 KiB */
export function documentText(document: unknown): string {
  const text = JSON.stringify(document);
  if (text.length <= maxRecordBytes / 3 || Buffer.byteLength(text) <= maxRecordBytes) return text;
  throw fail('ObjectTooLarge', `A record may have at most ${maxRecordBytes / 1024} KiB.`);
}
