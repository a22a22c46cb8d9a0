import { pageLanguage, t } from '../../lib/words/words.ts';
import type { GroupRow, OneMessage } from './queries.ts';
import { countText } from './words.ts';

export const messageName = ({ name, triggerId }: OneMessage): string =>
  name ?? t('Deleted ({triggerId})', { triggerId: triggerId.slice(-4) });

/** `Held out`, `A`, `Shown` */
export function groupName(group: string): string {
  if (group === 'holdout') return t('Got nothing');
  return group === '' ? t('Got it') : t('Got {group}', { group });
}

const percent = (share: number) => `${(Math.round(share * 1000) / 10).toLocaleString(pageLanguage())} %`;

/** `12 % (10.1 % to 14.2 %)` */
export function shareText({ share, shareLow, shareHigh }: GroupRow): string {
  if (share === null) return '–';
  return shareLow === null || shareHigh === null
    ? percent(share)
    : t('{share} ({low} to {high})', {
        share: percent(share),
        low: percent(shareLow),
        high: percent(shareHigh),
      });
}

export const groupHeader = [
  t('Reached'),
  t('Messages'),
  t('Opened by'),
  t('Acted'),
  t('Share that acted'),
  t('Took back consent'),
];

export const groupCells = (group: GroupRow): string[] => [
  countText(group.reached),
  countText(group.shown),
  countText(group.openedBy),
  countText(group.acted),
  shareText(group),
  countText(group.withdrawn),
];

/** Of the same group in another period; a dash where nobody was reached. */
export function comparedCell(group: GroupRow | undefined): string {
  if (!group) return '–';
  const hasShare = group.share !== null;
  return t('{reached} reached{hasShare, select, true {, {share} acted} other {}}', {
    reached: countText(group.reached),
    hasShare,
    share: hasShare ? percent(group.share ?? 0) : '',
  });
}

const metrics = [
  'reached',
  'openedBy',
  'acted',
  'shown',
  'received',
  'opened',
  'withdrawn',
  'share',
  'shareLow',
  'shareHigh',
] as const;

/** The columns of the interface. */
export const messageCsv = (messages: readonly OneMessage[]): string[][] => [
  ['triggerId', 'name', 'group', ...metrics],
  ...messages.flatMap((message) =>
    message.groups.map((group) => [
      message.triggerId,
      messageName(message),
      group.group,
      ...metrics.map((metric) => String(group[metric] ?? '')),
    ]),
  ),
];
