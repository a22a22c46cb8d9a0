import { PharosError } from '@pharos/sdk';
import { call } from '../../lib/data/api.ts';
import { withSession } from '../../lib/data/signing-in.ts';
import type { Operations } from '../../lib/wire.ts';
import { t, translated } from '../../lib/words/words.ts';

/** A change of many records, in as many requests as it takes. */

export type Body = Operations['changeMany']['body'];
export type Outcome = Operations['changeMany']['answer']['result'];
type Failed = Outcome['failed'][number];

/** Most that the service takes at once. */
const most = 500;

/** What was to be done with each record of a request whose answer was lost: it may have been done. */
const lost = new Set<string>();

/** @throws PharosError if nothing of it was done, or nobody knows */
export async function send(appId: string, body: Body): Promise<Outcome> {
  const records = new Map(body.records?.map((one) => [one.objectId, one]));
  const wanted = (objectId: string) =>
    JSON.stringify([appId, body.operation, body.bucketName, body.change, records.get(objectId) ?? objectId]);
  const { done, changed, failed } = await sendAll(appId, body, (ids) => {
    for (const id of ids) lost.add(wanted(id));
  });
  const own = failed.map((one) => (lost.has(wanted(one.objectId)) ? one : bySomebodyElse(one)));
  for (const id of [...done, ...own.filter(isAlreadySo).map(({ objectId }) => objectId)]) lost.delete(wanted(id));
  return { done, changed, failed: own };
}

/** Who was faster, and wanted the same. */
const bySomebodyElse = ({ isAlready: _, ...one }: Failed): Failed => one;

async function sendAll(appId: string, body: Body, noteLost: (ids: readonly string[]) => void): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  /** The audit's entry, which is one for all requests. */
  let entry: string | undefined;
  for (let start = 0; start < body.ids.length; start += most) {
    const ids = body.ids.slice(start, start + most);
    const records = body.records?.filter(({ objectId }) => ids.includes(objectId));
    const part = { ...body, ids, ...(records ? { records } : {}) };
    const query = entry === undefined ? {} : { continues: entry };
    const change = () => call('changeMany', { params: { appId }, query, body: part });
    try {
      // If the session ends in between, sign in again here: repeating the whole change would find the first records changed.
      const { result } = await (start === 0 ? change() : withSession(change));
      outcomes.push(result);
      entry = result.entry ?? entry;
    } catch (error) {
      if (error instanceof PharosError && error.mayBeDone) noteLost(ids);
      // The pieces done so far are reported, and can be undone.
      if (start === 0 || !(error instanceof PharosError)) throw error;
      const { name, message } = error;
      const failed = body.ids.slice(start).map((objectId) => ({ objectId, error: name, message }));
      outcomes.push({ done: [], changed: [], failed });
      break;
    }
  }
  return {
    done: outcomes.flatMap(({ done }) => done),
    changed: outcomes.flatMap(({ changed }) => changed),
    failed: outcomes.flatMap(({ failed }) => failed),
  };
}

/** It is as it was to be: an earlier try was done, and its answer was lost. */
export const isAlreadySo = ({ isAlready }: Pick<Failed, 'isAlready'>) => isAlready === true;

/** Somebody has changed it since it was chosen. */
export const isStale = (one: Pick<Failed, 'error' | 'isAlready'>) =>
  one.error === 'PreconditionFailed' && !isAlreadySo(one);

/** Why records do not get back what they had, as sentences. */
export function whyNotBack(failed: readonly Failed[], nameOf: (objectId: string) => string): string {
  const wasChanged = (one: Failed) => isStale(one) || isAlreadySo(one);
  const names = failed
    .filter(wasChanged)
    .map(({ objectId }) => nameOf(objectId))
    .join(', ');
  const stale = names && t('These stay as they are, because they were changed since: {names}.', { names });
  const others = failed
    .filter((one) => !wasChanged(one))
    .map(({ objectId, message }) => `${nameOf(objectId)}: ${translated(message)}`);
  return [stale, ...others].filter(Boolean).join(' ');
}
