import { pageLanguage } from '../../lib/words/words.ts';
import type { Message } from './message.ts';
import type { MessageSearch } from './message-search.ts';

/** What of the messages the list shows, in its order. Everything of them is here already. */
export function listedMessages(
  all: readonly Message[],
  { q = '', state, order = 'name' }: MessageSearch,
): readonly Message[] {
  const words = q.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(
    (message) =>
      (state === undefined || message.isEnabled === (state === 'on')) &&
      words.every((word) => textOf(message).includes(word)),
  );
  const [by, sign] = order.startsWith('-') ? [order.slice(1), -1] : [order, 1];
  const key = ({ name, updatedAt, isEnabled }: Message) =>
    by === 'updatedAt' ? updatedAt : by === 'isEnabled' ? String(!isEnabled) : name;
  const { compare } = new Intl.Collator(pageLanguage(), { numeric: true });
  return found.toSorted((a, b) => sign * compare(key(a), key(b)) || compare(a.objectId, b.objectId));
}

/** Everything that somebody may remember of it, in lower case. */
function textOf({ name, fields, stored }: Message): string {
  const texts = stored.kind === 'storyline' ? stored.scenarios : [fields];
  const translated = Object.values(fields.translations).flatMap((words) => Object.values(words));
  const said = texts.flatMap(({ alertTitle = '', alertMessage = '' }) => [alertTitle, alertMessage]);
  return [name, ...said, ...translated].join(' ').toLocaleLowerCase();
}
