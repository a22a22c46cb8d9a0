/** A JSON Schema from the server's OpenAPI document; only the keywords that determine a type. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  /** Set by `asInput`. */
  readonly isInput?: true;
}

/**
 * The same schema as part of a client's input. Its free members accept every object: TypeScript gives a type alias an
 * implicit index signature but an interface none, so `Record<string, unknown>` would refuse an interface.
 */
export function asInput(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_name, value: unknown) =>
    (value as JsonSchema | null)?.type === 'object' ? { ...(value as JsonSchema), isInput: true } : value,
  ) as JsonSchema;
}

/** Names of schemas that are written once; the key is the schema's `shapeKey`. */
export type NamedShapes = ReadonlyMap<string, string>;

/** Two schemas with the same key have the same TypeScript type. Descriptions, lengths and ranges do not matter. */
export function shapeKey(schema: JsonSchema): string {
  return schemaType(schema, new Map(), '', false);
}

/** The TypeScript type of a schema. */
export function schemaType(schema: JsonSchema, names: NamedShapes, indent = '', withComments = true): string {
  const name = names.size > 0 ? names.get(shapeKey(schema)) : undefined;
  return name ?? writtenOut(schema, names, indent, withComments);
}

export function writtenOut(schema: JsonSchema, names: NamedShapes, indent = '', withComments = true): string {
  const inner = (part: JsonSchema) => schemaType(part, names, indent, withComments);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(inner))].join(' | ');
  if (schema.allOf) return schema.allOf.map(inner).join(' & ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${inTurn(inner(schema.items ?? {}))}[]`;
    case 'object':
      return objectType(schema, names, indent, withComments);
    default:
      return 'unknown';
  }
}

function inTurn(type: string): string {
  return /^[\w<>']+$/.test(type) || type.startsWith('{') ? type : `(${type})`;
}

function objectType(schema: JsonSchema, names: NamedShapes, indent: string, withComments: boolean): string {
  const members = Object.entries(schema.properties ?? {});
  const open = openMembers(schema, names, indent, withComments);
  if (members.length === 0 && open && open !== 'unknown') return `Readonly<Record<string, ${open}>>`;
  if (members.length === 0) return schema.isInput ? 'JsonInput' : 'JsonObject';
  const inside = `${indent}  `;
  const lines = members.map(([name, part]) => {
    const mark = schema.required?.includes(name) ? '' : '?';
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    const comment = withComments ? docComment(part.description, inside) : '';
    return `${comment}${inside}readonly ${key}${mark}: ${schemaType(part, names, inside, withComments)};`;
  });
  if (open) lines.push(`${inside}readonly [member: string]: ${schema.isInput ? 'any' : 'unknown'};`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function openMembers(schema: JsonSchema, names: NamedShapes, indent: string, withComments: boolean) {
  const pattern = Object.values(schema.patternProperties ?? {})[0];
  const part = pattern ?? (schema.additionalProperties === true ? {} : schema.additionalProperties);
  return part ? schemaType(part, names, indent, withComments) : undefined;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : String(value);
}

export function docComment(text: string | undefined, indent = ''): string {
  return text ? `${indent}/** ${text.replaceAll('*/', '* /')} */\n` : '';
}
