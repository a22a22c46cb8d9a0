import { type TObject, type TSchema, Type } from 'typebox';

/** The members of JSON Schema that the two functions read. */
interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Node[];
}

/**
 * The documented body of a PUT: any of the members, and null for an optional one, which clears it. Members that are
 * objects are replaced as a whole, so their own required members stay required.
 */
export function replacementSchema(schema: TObject): TSchema {
  const { properties = {}, required = [], ...rest } = schema as unknown as Node;
  return written({ ...rest, properties: orNullUnless(required, properties) });
}

/**
 * The documented body of a PATCH (JSON Merge Patch, RFC 7396): members of the patch are merged at any depth, so that
 * nothing is required at any level; null removes what is optional. Arrays are replaced as a whole.
 */
export function mergePatchSchema(schema: TSchema): TSchema {
  return written(merged(schema as unknown as Node));
}

function merged(node: Node): Node {
  if (node.anyOf) return { ...node, anyOf: node.anyOf.map(merged) };
  const { properties, patternProperties, required = [], ...rest } = node;
  const inside = (parts: Readonly<Record<string, Node>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, merged(part)]));
  return {
    ...rest,
    ...(properties ? { properties: orNullUnless(required, inside(properties)) } : {}),
    // Entries of a map are optional by nature.
    ...(patternProperties ? { patternProperties: orNullUnless([], inside(patternProperties)) } : {}),
  };
}

function orNullUnless(required: readonly string[], properties: Readonly<Record<string, Node>>) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, required.includes(name) ? part : orNull(part)]),
  );
}

function orNull(node: Node): Node {
  if (node.anyOf?.some(({ type }) => type === 'null')) return node;
  const { description, ...schema } = node;
  // Documentation tools show the member's description, but not that of an alternative in anyOf.
  return { ...(description ? { description } : {}), anyOf: [...(node.anyOf ?? [schema]), { type: 'null' }] };
}

/** The functions above work on plain JSON Schema; TypeBox keeps its own data in hidden members. */
function written(node: Node): TSchema {
  return Type.Unsafe(node as TSchema);
}
