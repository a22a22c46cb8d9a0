import { entityTag } from '@pharos/sdk';
import { canonical, differenceText } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';
import { asItIsNow } from '../form/use-one-click.ts';

/** By member, as JSON. */
type Members = Readonly<Record<string, unknown>>;

interface Previewed {
  /** What the preview compared with, of the members that change. */
  readonly before: Members;
  readonly after: Members;
  readonly read: () => Promise<object>;
  /** Changes it if it still has the tag. */
  readonly send: (ifMatch: string | undefined) => Promise<unknown>;
}

/**
 * Changes a record as the preview said, unless somebody has changed the same members since: that is not taken back in silence. What is there
 * already is done, such as by a try whose answer was lost.
 *
 * @throws Error whose message is a sentence
 */
export const changeAsPreviewed = ({ before, after, read, send }: Previewed): Promise<void> =>
  asItIsNow(async () => {
    const now = await read();
    if (holds(now, after)) return;
    assertAsPreviewed(now, { before, after });
    await send(entityTag(now));
  });

/** Each member is as it was, or as it is to be. @throws Error whose message is a sentence */
export function assertAsPreviewed(now: object, { before, after }: Pick<Previewed, 'before' | 'after'>): void {
  for (const name of Object.keys(before))
    if (!holds(now, { [name]: before[name] }) && !holds(now, { [name]: after[name] })) throw changedSince();
}

export const changedSince = () =>
  new Error(t('Somebody else has changed it since the file was read. Choose the file again to see the difference.'));

/** What would change of a record that is there, as rows of a preview show it. */
export function comparedWith(known: object, wanted: object) {
  const now = known as Members;
  const changed = Object.entries(wanted).filter(([name, value]) => canonical(value) !== canonical(now[name] ?? null));
  return {
    kind: changed.length > 0 ? ('changed' as const) : ('unchanged' as const),
    differences: changed.map(([member, value]) => ({
      member,
      before: differenceText(now[member]),
      after: differenceText(value),
    })),
    /** Only what differs, so that two people can change different members at once. */
    after: Object.fromEntries(changed),
    before: Object.fromEntries(changed.map(([name]) => [name, now[name] ?? null])),
  };
}

export const holds = (record: object, members: Members): boolean =>
  Object.entries(members).every(
    ([name, value]) => canonical((record as Members)[name] ?? null) === canonical(value ?? null),
  );
