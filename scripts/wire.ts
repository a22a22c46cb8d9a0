import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { OpenApiDocument } from '../server/src/http/openapi/openapi.ts';

/** The types of a document as a TypeScript module, which openapi-typescript writes. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly method: string;
  /** Below the prefix that all operations share. */
  readonly path: string;
  readonly query: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly answer: Schema;
  readonly takesKey: boolean;
  readonly takesSecret: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly schema: Schema;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Answers that many endpoints share are named after their content, not after the first endpoint that has them. */
const sharedAnswers: Readonly<Record<string, string>> = {
  createBeacon: 'CreatedAnswer',
  updateBeacon: 'UpdatedAnswer',
  deleteBeacon: 'DeletedAnswer',
  updateDevice: 'UpdatedInArrayAnswer',
  deleteDevice: 'DeletedInArrayAnswer',
};

/** Names that would hide a type of the language or the browser, or say too little on their own. */
const recordNames: Readonly<Record<string, string>> = {
  Event: 'ProximityEvent',
  File: 'StoredFile',
  Record: 'BucketRecord',
  Schema: 'BucketRecord',
  AllStorylineDetail: 'LooseStorylineDetail',
};

/**
 * A type for each record and body, and `Operations`, which has the types of each operation.
 *
 * @param prefix with which the paths of all operations begin
 */
export async function wireModule(document: OpenApiDocument, prefix: string, heading: string): Promise<string> {
  const operations = operationsOf(document, prefix);
  const found = namedSchemas(operations);
  const names = new Map([...found].map(([name, schema]) => [keyOf(schema), name]));
  const parts = sharedParts(found, names, operations);
  const partNames = new Map([...parts].map(([name, schema]) => [exactKeyOf(schema), name]));
  const inner = (schema: Schema): Schema => {
    const name = names.get(keyOf(schema));
    if (name) return referTo(name);
    const part = partNames.get(exactKeyOf(schema));
    return part ? { ...referTo(part), description: schema.description } : eachPart(schema, inner);
  };
  const schemas = {
    ...Object.fromEntries([...found, ...parts].map(([name, schema]) => [name, eachPart(schema, inner)])),
    Operations: objectOf(operations.map((operation) => [operation.operationId, typesOf(operation, inner)])),
  };
  const nodes = await openapiTS({ ...shell, components: { schemas } } as unknown as OpenAPI3, {
    immutable: true,
  });
  return [
    headed(heading),
    astToString(nodes.flatMap(typesIn))
      .replace(/components\["schemas"\]\["(\w+)"\]/g, '$1')
      .replace(/"ts:([^"]+)"/g, '$1')
      .replace(/^ *(\/\*)?\* @(constant|enum \{unknown\})( \*\/)?\n|@description /gm, '')
      .replace(/\/\*\*\n *\* (.*)\n *\*\//g, '/** $1 */'),
    helpers,
  ].join('\n\n');
}

/** What the types of operations are written with. */
const helpers = `/** The parts of an address. */
export type PathParams<Name extends string> = { readonly [name in Name]: string };
/** An answer that is one record. */
export type ResultAnswer<Of> = { readonly result: Of };
`;

const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` }) as Schema;

/** What it takes to call each operation, in one table. */
export function operationTable(document: OpenApiDocument, prefix: string): string {
  const rows = operationsOf(document, prefix).map((one) => `  ${one.operationId}: ${rowOf(one)},`);
  return `export const operations = {\n${rows.join('\n')}\n} as const;\n`;
}

/** The same as a module with a constant for each, so that a bundle holds those that are called. */
export function operationModule(document: OpenApiDocument, prefix: string, heading: string): string {
  const rows = operationsOf(document, prefix).map(
    (one) => `export const ${one.operationId}: Operation<Operations['${one.operationId}']> = ${rowOf(one)};`,
  );
  const imports = ["import type { Operation } from './call.ts';", "import type { Operations } from './wire.ts';"];
  return `${headed(heading)}\n\n${imports.join('\n')}\n\n${rows.join('\n')}\n`;
}

function rowOf({ method, path, answer, takesKey, takesSecret }: Operation): string {
  const flags = `${takesKey ? ', takesKey: true' : ''}${takesSecret ? ', takesSecret: true' : ''}`;
  return `{ method: '${method}', path: '${path}'${outerShape(answer)}${flags} }`;
}

const headed = (heading: string) => `/** ${heading} Generated by \`npm run generate\`; do not edit. */`;

const shell = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {} };
/** openapi-typescript puts all types into one interface; here each has its own name. */
function typesIn(node: ts.Node): ts.Node[] {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') return [];
  const [schemas] = node.members;
  if (!schemas || !ts.isPropertySignature(schemas) || !schemas.type || !ts.isTypeLiteralNode(schemas.type)) return [];
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  return schemas.type.members.flatMap((member) =>
    ts.isPropertySignature(member) && member.type
      ? [ts.factory.createTypeAliasDeclaration(exported, (member.name as ts.Identifier).text, undefined, member.type)]
      : [],
  );
}

function operationsOf(document: OpenApiDocument, prefix: string): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const body = (operation['requestBody'] as Content | undefined)?.content;
      const parameters = (operation['parameters'] ?? []) as Parameter[];
      const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1] as Content;
      return {
        operationId: operation.operationId,
        summary: operation.summary,
        method: method.toUpperCase(),
        path: path.slice(prefix.length),
        query: parameters.filter((parameter) => parameter.in === 'query'),
        body: body && (body['application/json'] ? asInput(body['application/json'].schema) : stream),
        answer: shapeOf(success.content?.['application/json']?.schema ?? {}),
        takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
        takesSecret: parameters.some(({ name }) => name === 'Installation-Secret'),
      };
    }),
  );
}

/** A schema with other parts. */
function eachPart(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { properties, items, anyOf, allOf, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(properties ? { properties: mapped(properties, change) } : {}),
    ...(items ? { items: change(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(change) } : {}),
    ...(allOf ? { allOf: allOf.map(change) } : {}),
    ...(typeof others === 'object' ? { additionalProperties: change(others) } : {}),
  };
}

const mapped = (parts: Readonly<Record<string, Schema>>, change: (part: Schema) => Schema) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));

const keywords = ['type', 'description', 'properties', 'required', 'additionalProperties', 'items'] as const;
const choices = ['enum', 'const', 'anyOf', 'allOf'] as const;

/** Only the keywords that determine a type, in one order. */
function shapeOf(schema: Schema): Schema {
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  const present = [...keywords, ...choices].filter(
    (word) => schema[word] !== undefined && !(isEmpty && word === 'properties'),
  );
  return eachPart(Object.fromEntries(present.map((word) => [word, schema[word]])), shapeOf);
}

/**
 * A schema of what clients send. Its free members accept every object: TypeScript gives a type alias an implicit index signature but an
 * interface none, so `unknown` would refuse an interface.
 */
const asInput = (schema: Schema): Schema => {
  const { additionalProperties: others, ...shape } = shapeOf(schema);
  return eachPart(others ? { ...shape, additionalProperties: others === true ? any : others } : shape, asInput);
};

/** Types that JSON Schema cannot name, as texts whose quotes are removed in the end. */
const any: Schema = { const: 'ts:any' };
const none: Schema = { const: 'ts:undefined' };
const stream: Schema = { const: 'ts:Blob | ArrayBuffer | Uint8Array | ReadableStream' };

/** The same for schemas of one type. */
const keyOf = (schema: Schema): string => JSON.stringify(bare(schema));
const bare = ({ description: _, ...schema }: Schema): Schema => eachPart(schema, bare);

/** Records first, then bodies, so that a body that looks like a record takes the record's name. */
function namedSchemas(operations: readonly Operation[]): ReadonlyMap<string, Schema> {
  const found = new Map<string, Schema>([
    ['JsonObject', { type: 'object', additionalProperties: true }],
    ['JsonInput', { type: 'object', additionalProperties: any }],
  ]);
  const keys = new Set([...found.values()].map(keyOf));
  const add = (plainName: string, schema: Schema | undefined) => {
    const name = recordNames[plainName] ?? plainName;
    if (!schema?.properties || keys.has(keyOf(schema)) || found.has(name)) return;
    keys.add(keyOf(schema));
    found.set(name, schema);
  };
  for (const { operationId, answer } of operations)
    if (operationId.startsWith('get')) add(upper(operationId.slice(3)), answer.properties?.['result']);
  for (const { operationId, answer } of operations) {
    if (!operationId.startsWith('list')) continue;
    const name = upper(operationId.slice(4)).replace(/ies$/, 'y').replace(/s$/, '');
    add(found.has(name) ? `Listed${name}` : name, answer.properties?.['results']?.items);
  }
  for (const { body, answer } of operations)
    for (const pointer of [...pointersIn(answer), ...pointersIn(body ?? {})])
      add(`${String(pointer.properties?.['className']?.const)}Pointer`.replace('_', ''), pointer);
  for (const { operationId, answer } of operations)
    if (sharedAnswers[operationId]) add(sharedAnswers[operationId], answer);
  for (const { operationId, body } of operations) add(`${upper(operationId)}Body`, body);
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The same, with what its members mean. */
const exactKeyOf = ({ description: _, ...schema }: Schema): string => JSON.stringify(schema);

/** Parts that several types have, each named after the type and the member that have it first: `MessageDelivery`. */
function sharedParts(
  found: ReadonlyMap<string, Schema>,
  names: ReadonlyMap<string, string>,
  operations: readonly Operation[],
): ReadonlyMap<string, Schema> {
  const seen = new Map<string, { readonly name: string; readonly schema: Schema; isShared: boolean }>();
  const walk = (schema: Schema, name: string) => {
    for (const [member, part] of Object.entries(schema.properties ?? {})) visit(part, name + upper(member));
    if (schema.items) visit(schema.items, name.replace(/ies$/, 'y').replace(/s$/, ''));
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, name);
    for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(part, name);
  };
  const visit = (part: Schema, name: string) => {
    if (names.has(keyOf(part))) return;
    const before = seen.get(exactKeyOf(part));
    if (before) before.isShared = true;
    else {
      if (Object.keys(part.properties ?? {}).length > 1)
        seen.set(exactKeyOf(part), { name, schema: part, isShared: false });
      walk(part, name);
    }
  };
  for (const [name, schema] of found) walk(schema, name);
  for (const { operationId, body, answer } of operations)
    for (const schema of [body ?? {}, answer]) if (!names.has(keyOf(schema))) walk(schema, upper(operationId));
  for (const { operationId, query } of operations) visit(queryOf(query), `${upper(operationId)}Query`);
  const shared = new Map<string, Schema>();
  for (const { name, schema, isShared } of seen.values())
    if (isShared && !found.has(name) && !shared.has(name)) shared.set(name, schema);
  return shared;
}

/** The pointers anywhere in a schema. */
function pointersIn(schema: Schema): Schema[] {
  const found = schema.properties?.['__type']?.const === 'Pointer' ? [schema] : [];
  eachPart(schema, (part) => {
    found.push(...pointersIn(part));
    return part;
  });
  return found;
}

function typesOf({ summary, path, query, body, answer }: Operation, inner: (schema: Schema) => Schema): Schema {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `'${name}'`).join(' | ');
  return {
    description: summary,
    ...objectOf([
      ['params', params ? { const: `ts:PathParams<${params}>` } : none],
      ['query', query.length > 0 ? inner(queryOf(query)) : none],
      ['body', body ? inner(body) : none],
      ['answer', answerOf(inner(answer))],
    ]),
  };
}

function answerOf(answer: Schema): Schema {
  const name = answer.properties?.['result']?.$ref?.split('/').at(-1);
  return name && answer.required?.length === 1 && Object.keys(answer.properties ?? {}).length === 1
    ? { const: `ts:ResultAnswer<${name}>` }
    : answer;
}

const objectOf = (members: readonly (readonly [string, Schema])[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(members),
  required: members.map(([name]) => name),
});

/** In a URL everything is text; a client may write numbers as such. */
const queryOf = (query: readonly Parameter[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    query.map(({ name, description, schema }) => {
      const shape = shapeOf({ ...schema, description: undefined });
      return [
        name,
        { description, ...(shape.type === 'string' && !shape.enum ? shape : { anyOf: [shape, { type: 'string' }] }) },
      ];
    }),
  ),
});

/**
 * The members that each answer must have, so that a client can tell the service from anything else that answers in its
 * place.
 */
function outerShape({ properties = {}, required = [] }: Schema): string {
  const members = required.map((name) => `${name}: '${properties[name]?.type ?? 'any'}'`);
  return members.length > 0 ? `, answer: { ${members.join(', ')} }` : '';
}

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
