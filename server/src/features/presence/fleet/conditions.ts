import type { Db } from '../../../db/db.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { FindingKind } from './detect/fleet.ts';
import { listFindings } from './finding-store.ts';

const conditionOf: Readonly<Record<FindingKind, 'silent' | 'battery' | 'misplaced'>> = {
  silent: 'silent',
  battery: 'battery',
  moved: 'misplaced',
  cloned: 'misplaced',
  bleeding: 'misplaced',
  setting: 'misplaced',
};

const maxNamed = 4;

/**
 * What is open, for Home, mails and webhooks: one condition for all beacons with the same, or a round of empty batteries would send a mail
 * for each.
 */
export async function beaconConditions(
  db: Db,
  appId: string,
  namesOf: (db: Db, appId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<readonly ServiceCondition[]> {
  const open = (await listFindings(db, appId)).filter(({ found_at: at, state }) => at !== null && state === 'open');
  const names = await namesOf(db, appId, [...new Set(open.map(({ beacon_id: id }) => id))]);
  const present = open.filter(({ beacon_id: id }) => names.has(id));
  return [...Map.groupBy(present, ({ kind }) => conditionOf[kind])].map(([kind, rows]) => {
    const ids = [...new Set(rows.map(({ beacon_id: id }) => id))];
    const shown = ids.slice(0, maxNamed).map((id) => names.get(id));
    return { kind, key: kind, isGrave: false, ...words[kind](ids.length, shown.join(', ')) };
  });
}

const number = (n: number) => n.toLocaleString('en');
const count = (n: number, noun: string) => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;

const words: Readonly<
  Record<'silent' | 'battery' | 'misplaced', (n: number, shown: string) => { title: string; text: string }>
> = {
  silent: (n, shown) => ({
    title: `${count(n, 'beacon')} fell silent`,
    text: `No longer heard in the usual hours. A battery may be empty: ${shown}${n > maxNamed ? ` and ${number(n - maxNamed)} more` : ''}.`,
  }),
  battery: (n, shown) => ({
    title: n === 1 ? '1 battery will soon be empty' : `${number(n)} batteries will soon be empty`,
    text: `Less than 30 days left: ${shown}${n > maxNamed ? ` and ${number(n - maxNamed)} more` : ''}.`,
  }),
  misplaced: (n, shown) => ({
    title: n === 1 ? '1 beacon is not as it should be' : `${number(n)} beacons are not as they should be`,
    text: `Moved, copied, heard too far away or set up unlike the others: ${shown}${n > maxNamed ? ` and ${number(n - maxNamed)} more` : ''}.`,
  }),
};
