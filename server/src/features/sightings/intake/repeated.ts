import type { Db } from '../../../db/db.ts';
import { reportKey } from '../batch/keys.ts';
import type { Placed } from '../batch/placing.ts';
import { findAnswers, findKnownKeys, keyText } from '../record/key-store.ts';
import type { Effect, Held, Locked, Timely } from './taking.ts';

/** What of a batch has been counted before: its sightings by their keys, or the whole of it. */

interface Keyed extends Timely {
  readonly keyed: readonly { readonly one: Placed; readonly key: string | undefined }[];
  readonly keys: readonly string[];
}

/** What has not been counted yet, or the earlier answer to the same batch. */
type Unrepeated =
  | (Held & { readonly kind: 'fresh' })
  | (Timely & { readonly kind: 'answered'; readonly answer: Effect });

export async function withoutRepeated(db: Db, locked: readonly Timely[]): Promise<Unrepeated[]> {
  const named = locked.filter(({ permissions }) => permissions.analytics);
  // Keys of sightings would say when a phone was heard.
  const unnamed = locked.filter(({ permissions }) => !permissions.analytics);
  const fresh = unnamed.map((one) => ({ ...one, kind: 'fresh' as const, fresh: one.timed.placed, keys: [] }));
  return [...fresh, ...(await withoutKnown(db, named))];
}

async function withoutKnown(db: Db, locked: readonly Timely[]): Promise<Unrepeated[]> {
  const all = locked.map(keyedOf);
  const scopeOf = ({ intake, lock }: Locked) => ({ appId: intake.sender.appId, installationId: lock.objectId });
  const news = all.flatMap((one) => one.keys.map((key) => ({ ...scopeOf(one), key })));
  const stored = await findKnownKeys(db, news);
  const freshOf = (one: Keyed) => {
    const { keys: held } = one.known.unwritten;
    return new Set(one.keys.filter((key) => !held.includes(key) && !stored.has(keyText({ ...scopeOf(one), key }))));
  };
  // A batch with keys of which none is known has not been here before.
  const asked = all.flatMap((one) => {
    const { batchKey, placed, sender } = one.intake;
    if (batchKey === undefined || placed.length === 0) return [];
    if (one.keys.length > 0 && freshOf(one).size === one.keys.length) return [];
    return [{ ...scopeOf(one), key: batchKey, since: sender.now - sender.policy.pushTimeToLive * 1000 }];
  });
  const answers = await findAnswers(db, asked);
  return all.map((one) => {
    const { keyed, keys: _keys, ...rest } = one;
    const { batchKey } = one.intake;
    const answer = batchKey === undefined ? undefined : answers.get(keyText({ ...scopeOf(one), key: batchKey }));
    if (answer !== undefined) return { ...rest, kind: 'answered', answer: JSON.parse(answer) as Effect };
    return { ...rest, kind: 'fresh', fresh: withKeysIn(keyed, freshOf(one)), keys: [...freshOf(one)] };
  });
}

/** Those with a fresh key, or with none. One key twice in a batch counts once. */
function withKeysIn(keyed: Keyed['keyed'], fresh: ReadonlySet<string>): Placed[] {
  const counted = new Set<string>();
  return keyed.flatMap(({ one, key }) => {
    if (key === undefined) return [one];
    if (!fresh.has(key) || counted.has(key)) return [];
    counted.add(key);
    return [one];
  });
}

function keyedOf(timely: Timely): Keyed {
  const { lock, timed } = timely;
  const keyed = timed.placed.map((one) => ({ one, key: reportKey(one, lock.objectId, timed.error !== 0) }));
  return { ...timely, keyed, keys: [...new Set(keyed.flatMap(({ key }) => key ?? []))] };
}
