import { isObject } from '@pharos/query';
import type { Static, TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Failure, fail, type Problem } from '../base/errors.ts';

/** What a PUT or PATCH sent: members to replace, and optional members to clear because they were sent as null. */
export interface Changes<T> {
  readonly set: Partial<T>;
  readonly cleared: readonly (keyof T & string)[];
}

export interface ShapeOptions<T> {
  /** Rules that a schema cannot express. They see only members that the schema accepted. */
  readonly rules?: (value: Partial<T>) => readonly Problem[];
  /** Other spellings of members that older clients send. */
  readonly aliases?: Readonly<Record<string, keyof T & string>>;
  /** The error for these problems, if the catalogue has a code of its own; otherwise ValidationError. */
  readonly failure?: (problems: readonly Problem[]) => Failure;
}

/** A request body, declared once as a schema from which the type, the validation and the OpenAPI document follow. */
export interface Shape<S extends TObject> {
  readonly schema: S;
  /** All required members must be present. A null optional member counts as absent. Unknown members are dropped. */
  readCreate(body: unknown): Static<S>;
  /** Members that are present must be valid; the others are left alone. */
  readUpdate(body: unknown): Changes<Static<S>>;
  /** The body of an endpoint that creates. */
  body<E>(example: E): { readonly schema: S; readonly example: E; read(body: unknown): Static<S> };
}

type Members = Record<string, unknown>;

export function defineShape<S extends TObject>(schema: S, options: ShapeOptions<Static<S>> = {}): Shape<S> {
  const compiled = () =>
    Object.entries(schema.properties).map(([name, member]) => ({ name, check: Compile(member as TSchema) }));
  // Together, those of all endpoints would take a tenth of a start; most are never needed.
  let members: ReturnType<typeof compiled> | undefined;
  const required = new Set<string>(schema.required as readonly string[] | undefined);
  const failure = options.failure ?? ((details) => fail('ValidationError', { message: sentence(details), details }));

  const aliases = Object.entries(options.aliases ?? {});

  function inspect(sent: unknown, wantAll: boolean): { set: Members; cleared: string[] } {
    const body = aliases.length > 0 && isObject(sent) ? renamed(sent, aliases) : sent;
    if (!isObject(body))
      throw fail('ValidationError', {
        message: 'The body must be a JSON object.',
        details: [{ field: '', problem: 'must be a JSON object' }],
      });
    const set: Members = {};
    const cleared: string[] = [];
    const problems: Problem[] = [];
    members ??= compiled();
    for (const { name, check } of members) {
      const value = Object.hasOwn(body, name) ? body[name] : undefined;
      if (value === undefined) {
        if (wantAll && required.has(name)) problems.push({ field: name, problem: 'is required' });
      } else if (value === null && !required.has(name)) {
        cleared.push(name);
      } else if (check.Check(value)) {
        set[name] = value;
      } else {
        problems.push(...describe(name, check.Errors(value)));
      }
    }
    problems.push(...(options.rules?.(set as Partial<Static<S>>) ?? []));
    if (problems.length > 0) throw failure(problems);
    return { set, cleared };
  }

  const readCreate = (body: unknown) => inspect(body, true).set as Static<S>;
  return {
    schema,
    readCreate,
    readUpdate: (body) => inspect(body, false) as unknown as Changes<Static<S>>,
    body: (example) => ({ schema, example, read: readCreate }),
  };
}

/** The member under its own name wins over one under an alias. */
function renamed(body: Members, aliases: readonly (readonly [string, string])[]): Members {
  const given = aliases.filter(([alias, name]) => Object.hasOwn(body, alias) && !Object.hasOwn(body, name));
  return { ...body, ...Object.fromEntries(given.map(([alias, name]) => [name, body[alias]])) };
}

/** `name is required; uuid must have at most 50 characters`. */
export function sentence(problems: readonly Problem[]): string {
  const shown = problems.slice(0, 5).map(({ field, problem }) => `${field} ${problem}`.trim());
  return `${shown.join('; ')}${problems.length > 5 ? ` (and ${problems.length - 5} more)` : ''}.`;
}

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
}

/** typebox finds at most eight errors of a member, so that a million broken elements do not make a giant answer. */
function describe(name: string, errors: Iterable<SchemaError>): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of errors) {
    for (const [path, problem] of explain(error)) {
      const field = [name, ...path].join('.');
      if (!problems.has(`${field} ${problem}`)) problems.set(`${field} ${problem}`, { field, problem });
    }
  }
  return problems.size > 0 ? [...problems.values()] : [{ field: name, problem: unexpected }];
}

const unexpected = 'has an unexpected form';

const formats: Readonly<Record<string, string>> = {
  date: 'must be a day such as 2026-05-04',
  'date-time': 'must be a time such as 2026-05-04T09:30:00.000Z',
};

function explain(error: SchemaError): (readonly [readonly string[], string])[] {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return (params['requiredProperties'] as string[]).map((name) => [[...path, name], 'is required']);
    case 'minLength':
      return [[path, `must have at least ${params['limit']} character${params['limit'] === 1 ? '' : 's'}`]];
    case 'maxLength':
      return [[path, `must have at most ${params['limit']} characters`]];
    case 'minItems':
      return [[path, params['limit'] === 1 ? 'must not be empty' : `must have at least ${params['limit']} elements`]];
    case 'maxItems':
      return [[path, `must have at most ${params['limit']} elements`]];
    case 'minimum':
      return [[path, `must be at least ${params['limit']}`]];
    case 'maximum':
      return [[path, `must be at most ${params['limit']}`]];
    case 'enum':
      return [[path, `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`]];
    case 'const':
      return [[path, `must be ${JSON.stringify(params['allowedValue'])}`]];
    case 'type':
      return [[path, `must be ${article(String(params['type']))}`]];
    case 'format':
      return [[path, formats[String(params['format'])] ?? unexpected]];
    case 'exclusiveMinimum':
      return [[path, `must be more than ${params['limit']}`]];
    case 'uniqueItems':
      return [[path, 'must not contain anything twice']];
    case 'additionalProperties':
      return [[path, 'must have no other members']];
    // The message says what each of the choices requires.
    case 'anyOf':
      return [];
    default:
      return [[path, unexpected]];
  }
}

function article(type: string): string {
  if (type === 'object') return 'a JSON object';
  if (type === 'null') return type;
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
