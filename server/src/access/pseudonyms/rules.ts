import { isObject } from '@pharos/query';
import { fail } from '../../base/errors.ts';

/** Resources that show where phones were. */
const traces = ['visits', 'events', 'verdicts', 'positions', 'deliveries', 'logs'] as const;

/**
 * A rule that allows somebody the visits of one phone would reveal which phone has a pseudonym.
 *
 * @throws Failure ValidationError
 */
export function assertNoPhones({ resources = {} }: { readonly resources?: object | undefined }): void {
  const details = traces
    .filter((name) => Object.values((resources as Record<string, object>)[name] ?? {}).some(namesPhone))
    .map((name) => ({
      field: `resources.${name}`,
      problem: 'cannot name a phone while pseudonyms of phones change daily; $auth.installationId can stand there',
    }));
  const [first] = details;
  if (first) throw fail('ValidationError', { message: `${first.field} ${first.problem}.`, details });
}

function namesPhone(where: unknown): boolean {
  if (Array.isArray(where)) return where.some(namesPhone);
  if (!isObject(where)) return false;
  return Object.entries(where).some(([key, value]) =>
    key === 'installationId' || key === 'text' ? JSON.stringify(value) !== '"$auth.installationId"' : namesPhone(value),
  );
}
