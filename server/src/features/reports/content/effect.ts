import type { Bar, Block, Link } from './blocks.ts';
import type { Figures, MessageAnswer } from './figures.ts';

/** What messages led to: how many visitors reached the goal with and without the message, and what may be concluded. */

const mostMessages = 6;

type Message = MessageAnswer['messages'][number];

const percent = (share: number) => `${(share * 100).toFixed(1).replace('.0', '')} %`;

export function effectOf({ messages }: Pick<Figures, 'messages'>, link: Link): Block[] {
  const tried = (messages?.messages ?? []).filter(({ groups }) => groups.some(({ share }) => share !== null));
  if (tried.length === 0) return [];
  const shown = tried.slice(0, mostMessages);
  const more = tried.length > mostMessages ? ` The ${mostMessages} of ${tried.length} that reached most.` : '';
  return [
    {
      kind: 'bars',
      title: 'What messages led to',
      about: `The share of those reached who reached the goal; below it where it lies with 95 % certainty.${more}`,
      link,
      bars: shown.flatMap(barsOf),
      says: shown.flatMap(({ name, comparisons }) => comparisons.map(({ text }) => `${nameOf(name)}: ${text}`)),
    },
  ];
}

const nameOf = (name: string | null) => name ?? 'Deleted message';

/** As in the table above: those who were held out got nothing. */
export const calledGroup = (name: string | null, group: string): string =>
  group === '' ? nameOf(name) : group === 'holdout' ? `${nameOf(name)} (held out)` : `${nameOf(name)} (${group})`;

function barsOf({ name, groups }: Message): Bar[] {
  return groups.flatMap(({ group, share, shareLow, shareHigh }): Bar[] => {
    if (share === null) return [];
    const isKnown = shareLow !== null && shareHigh !== null;
    const mark = isKnown ? `${percent(shareLow)} to ${percent(shareHigh)}` : undefined;
    return [{ label: calledGroup(name, group), size: share * 100, text: percent(share), mark }];
  });
}
