import { isObject } from '@pharos/query';

/**
 * JSON Merge Patch, RFC 7396: members of the patch replace or, as null, remove members of the target, at any depth.
 * Neither argument is changed. A member called `__proto__` is an ordinary member.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  // Object.fromEntries defines members, so that none of them can reach a prototype.
  return Object.fromEntries(merged);
}
