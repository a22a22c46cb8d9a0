import type { Bar, Block, Link } from './blocks.ts';
import type { Figures, MessageAnswer } from './figures.ts';
import type { ReportWords } from './words.ts';

/** What messages led to: how many visitors reached the goal with and without the message, and what may be concluded. */

const maxMessages = 6;

type Message = MessageAnswer['messages'][number];

export function effectOf({ messages }: Pick<Figures, 'messages'>, link: Link, words: ReportWords): Block[] {
  const tried = (messages?.messages ?? []).filter(({ groups }) => groups.some(({ share }) => share !== null));
  if (tried.length === 0) return [];
  const shown = tried.slice(0, maxMessages);
  const about = [
    words.t('The share of those reached who reached the goal; below it where it lies with 95 % certainty.'),
    ...(tried.length > maxMessages
      ? [words.t('The {shown} of {all} that reached most.', { shown: maxMessages, all: tried.length })]
      : []),
  ];
  return [
    {
      kind: 'bars',
      title: words.t('What messages led to'),
      about: about.join(' '),
      link,
      bars: shown.flatMap((message) => barsOf(message, words)),
      says: shown.flatMap(({ name, comparisons }) =>
        comparisons.map(({ text }) => `${nameOf(name, words)}: ${words.translated(text)}`),
      ),
    },
  ];
}

const nameOf = (name: string | null, words: ReportWords) => name ?? words.t('Deleted message');

/** As in the table above: those who were held out got nothing. */
export function calledGroup(message: string | null, group: string, words: ReportWords): string {
  const name = nameOf(message, words);
  if (group === '') return name;
  return group === 'holdout' ? words.t('{name} (held out)', { name }) : `${name} (${group})`;
}

function barsOf({ name, groups }: Message, words: ReportWords): Bar[] {
  return groups.flatMap(({ group, share, shareLow, shareHigh }): Bar[] => {
    if (share === null) return [];
    const isKnown = shareLow !== null && shareHigh !== null;
    const mark = isKnown
      ? words.t('{from} to {until}', { from: words.percent(shareLow), until: words.percent(shareHigh) })
      : undefined;
    return [{ label: calledGroup(name, group, words), size: share * 100, text: words.percent(share), mark }];
  });
}
