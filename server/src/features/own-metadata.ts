import { isObject } from '@pharos/query';
import { fail, type Problem } from '../base/errors.ts';

/** `metadata` of installations and users: anything, but no quota counts it, and anybody with the app key can add installations. */

const maxKilobytes = 64;

/** Of what was sent, or of what is there after a merge. */
export function metadataProblems(metadata: unknown): Problem[] {
  if (metadata === undefined) return [];
  if (!isObject(metadata)) return [{ field: 'metadata', problem: 'must be a JSON object' }];
  if (Buffer.byteLength(JSON.stringify(metadata)) <= maxKilobytes * 1024) return [];
  return [{ field: 'metadata', problem: `must be at most ${maxKilobytes} kB as JSON; keep the rest in records` }];
}

/** @throws Failure ValidationError */
export function assertMetadata(metadata: unknown): void {
  const details = metadataProblems(metadata);
  const [first] = details;
  if (first) throw fail('ValidationError', { message: `metadata ${first.problem}.`, details });
}
