import { t } from '../words/words.ts';
/** JSON with sorted members, so that their order makes no difference. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A value in a list of differences. */
export function differenceText(value: unknown): string {
  if (value === undefined || value === null) return t('nothing');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
