import assert from 'node:assert/strict';
import { resources } from '../../../src/app/tables.ts';
import type { Resource } from '../../../src/resources/define.ts';

interface Body {
  readonly example: Readonly<Record<string, unknown>>;
}

/**
 * A record of each resource that is written at a path of its own, made of the example in its declaration; what this points to is made
 * before.
 *
 * @param make posts a body below `/api/v2` and returns the id
 * @param only the path of one resource, if the others are not needed
 * @returns the ids by path, such as `/beacons`
 */
export async function makeExamples(
  make: (path: string, body: unknown) => Promise<string>,
  only?: string,
): Promise<Readonly<Record<string, string>>> {
  const made: Record<string, string> = {};
  async function idOf({ path, body }: Resource): Promise<string> {
    if (made[path] !== undefined) return made[path];
    const text = JSON.stringify((body as Body).example);
    const ids: Record<string, string> = {};
    for (const [, name = ''] of text.matchAll(/"className":"(\w+)"/g)) {
      const pointed = resources.find(({ className }) => className === name);
      assert.ok(pointed, `the example of ${path} points to ${name}, which is no resource`);
      ids[name] = await idOf(pointed);
    }
    const own = JSON.parse(text, (_, value) =>
      value?.__type === 'Pointer' ? { ...value, objectId: ids[value.className] } : value,
    );
    made[path] = await make(path, own);
    return made[path];
  }
  for (const resource of resources)
    if (resource.body !== undefined && !resource.path.includes(':') && (only ?? resource.path) === resource.path)
      await idOf(resource);
  return made;
}
