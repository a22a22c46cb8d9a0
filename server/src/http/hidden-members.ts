import { isObject } from '@pharos/query';
import type { AppContext } from '../access/context.ts';
import { fail } from '../base/errors.ts';
import { JsonText, OtherAnswer, type Tag } from './endpoint.ts';

/**
 * Hidden members may not be used in a query either: a filter or an order would reveal them piece by piece.
 *
 * @throws Failure InvalidQuery
 */
export function assertNotAskedBy(query: Readonly<Record<string, string | undefined>>, hidden: readonly string[]): void {
  const asked = askedFields(query).find((field) =>
    hidden.some((name) => field === name || field.startsWith(`${name}.`)),
  );
  if (asked === undefined) return;
  throw fail('InvalidQuery', {
    message: `Your role does not see ${asked}, so it cannot be used in a query.`,
    details: [{ field: asked, problem: 'is not visible to your role' }],
  });
}

export function askedFields(query: Readonly<Record<string, string | undefined>>): string[] {
  return [...whereFields(query), ...orderedFields(query)];
}

/** What a role without the permission cannot filter by in an app. */
export const hiddenMembers = (
  { members, underPseudonyms = [] }: NonNullable<Tag['hides']>,
  { pseudonyms }: Pick<AppContext, 'pseudonyms'>,
): readonly string[] => (pseudonyms ? [...members, ...underPseudonyms] : members);

type Query = Readonly<Record<string, string | undefined>>;

export const whereFields = (query: Query): string[] => fieldsOf(parsed(query['where']));

export function orderedFields(query: Query): string[] {
  return (query['order'] ?? '').split(',').map((field) => field.replace(/^\s*-/, '').trim());
}

/** Malformed text is left for the endpoint to refuse. */
function parsed(where: string | undefined): unknown {
  try {
    return JSON.parse(where ?? '{}');
  } catch {
    return {};
  }
}

/** The fields that a where-object names, at any depth. */
export function fieldsOf(where: unknown): string[] {
  if (Array.isArray(where)) return where.flatMap(fieldsOf);
  if (!isObject(where)) return [];
  return Object.entries(where).flatMap(([key, value]) => (key.startsWith('$') ? fieldsOf(value) : [key]));
}

function withoutPath(value: unknown, [head = '', ...rest]: readonly string[]): unknown {
  if (!isObject(value) || !Object.hasOwn(value, head)) return value;
  const members = Object.entries(value).filter(([name]) => rest.length > 0 || name !== head);
  return Object.fromEntries(members.map(([name, part]) => [name, name === head ? withoutPath(part, rest) : part]));
}

/** Removes members from the record of an answer, or from each record of its list. */
export function withoutMembers(answer: JsonText | OtherAnswer | object, hidden: readonly string[]): object {
  const value = plainAnswer(answer) as Record<string, unknown>;
  const paths = hidden.map((name) => name.split('.'));
  const strip = (record: unknown) => paths.reduce(withoutPath, record);
  const { result, results } = value;
  return {
    ...value,
    ...(result === undefined ? {} : { result: strip(result) }),
    ...(Array.isArray(results) ? { results: results.map(strip) } : {}),
  };
}

/** The value that an answer's JSON text represents. */
export function plainAnswer(answer: JsonText | OtherAnswer | object): object {
  if (answer instanceof OtherAnswer) return answer.value;
  return answer instanceof JsonText ? (JSON.parse(answer.text) as object) : answer;
}
