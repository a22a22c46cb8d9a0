import { hash } from 'node:crypto';

/** A record as a listener is shown it. */
export type Shown = Readonly<Record<string, unknown>> & { readonly objectId: string };

/** The answer of a list. */
export interface Page {
  readonly results: readonly Shown[];
  /** The list would go on, but is too long for an answer. */
  readonly truncated?: true;
}

/** Which records a list has, in which order, and what they say: as much as tells whether somebody has been shown the same. */
export interface ListState {
  /** Equal for equal lists, and only for them. It is the whole cursor. */
  readonly name: string;
  /** What is shown of each record, as a digest; in the order of the list. */
  readonly digests: ReadonlyMap<string, string>;
}

const digestOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 22);

export function stateOf({ results, truncated }: Page): ListState {
  const digests = new Map(results.map((record) => [record.objectId, digestOf(JSON.stringify(record))]));
  return { name: digestOf(JSON.stringify([...digests, truncated ?? false])), digests };
}

export const namePattern = /^[\w-]{22}$/;

/** A whole list, as a server-sent event. */
export const listText = (page: Page, { name }: ListState): string =>
  `id: ${name}\nevent: list\ndata: ${JSON.stringify(page)}\n\n`;

export const readyText = (name: string): string => `id: ${name}\nevent: ready\ndata: {}\n\n`;

/**
 * What makes one state of a list the next, as server-sent events: what has left, and then what has entered or changed, in the order
 * of the list and each behind the record that it follows. Whoever takes a record out of its old place, if it is there, and puts it
 * behind that one, has the list: records that are as they were keep their order. Only the last event has the id of the new state, so
 * that one who was cut off in between begins again. Undefined where it has to be told as a whole.
 */
export function stepText(before: ListState, page: Page, next: ListState): string | undefined {
  const { results } = page;
  const isKept = (id: string) => before.digests.get(id) === next.digests.get(id);
  const kept = [...before.digests.keys()].filter(isKept);
  let place = 0;
  for (const id of next.digests.keys()) if (isKept(id) && kept[place++] !== id) return undefined;
  const events: [event: string, data: object][] = [...before.digests.keys()]
    .filter((id) => !next.digests.has(id))
    .map((objectId) => ['left', { objectId }]);
  for (const [index, result] of results.entries()) {
    const { objectId } = result;
    if (isKept(objectId)) continue;
    const event = before.digests.has(objectId) ? 'changed' : 'entered';
    events.push([event, { after: results[index - 1]?.objectId ?? null, result }]);
  }
  if (events.length === 0) return undefined;
  return events
    .map(([event, data], index) => {
      const id = index === events.length - 1 ? `id: ${next.name}\n` : '';
      return `${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    })
    .join('');
}
