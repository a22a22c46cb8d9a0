import type { Times } from '../../lib/time/times.ts';
import { listed, t } from '../../lib/words/words.ts';
import type { Rules } from './rules.ts';

/** `15 minutes`; one unit where it comes out even, as in the service's own sentences. */
export function spanText(seconds: number): string {
  const fits = (size: number) => seconds >= size && seconds % size === 0;
  if (fits(86_400)) return t('{days, plural, one {# day} other {# days}}', { days: seconds / 86_400 });
  if (fits(3_600)) return t('{hours, plural, one {# hour} other {# hours}}', { hours: seconds / 3_600 });
  if (fits(60)) return t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: seconds / 60 });
  return t('{seconds, plural, one {# second} other {# seconds}}', { seconds });
}

/** Each limit as the end of a sentence. */
export function limitTexts(rules: Rules, times: Times): string[] {
  return (Object.keys(writers) as (keyof typeof writers)[]).flatMap((name) => {
    const text = writers[name](rules, times);
    return text === undefined ? [] : [text];
  });
}

export function visitText(nthVisit: Rules['nthVisit']): string | undefined {
  if (!nthVisit) return undefined;
  const { n, mode } = nthVisit;
  return {
    only: t('only at the {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit', { n }),
    from: t('from the {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit on', { n }),
    every: t('at every {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit', { n }),
  }[mode];
}

const writers = {
  nthVisit: ({ nthVisit }) => visitText(nthVisit),
  oncePer: ({ oncePer }) => (oncePer === 'event' ? t('each time, even within one visit') : undefined),
  coolDown: ({ coolDown }) =>
    coolDown
      ? t('with a pause of {span} after {isApp, select, true {any other message} other {the last time}}', {
          span: spanText(coolDown.seconds),
          isApp: coolDown.per === 'app',
        })
      : undefined,
  caps: ({ caps }) => (caps && caps.length > 0 ? listed(caps.map(capText)) : undefined),
  quietHours: ({ quietHours }) =>
    quietHours ? t('never from {from} to {until}', { from: quietHours.from, until: quietHours.until }) : undefined,
  venueHours({ venueHours }) {
    if (!venueHours) return undefined;
    const when =
      venueHours.during === 'open' ? t('only while the venue is open') : t('only on days on which the venue opens');
    return venueHours.alreadyInside ? t('{when} (also to those who are inside when it opens)', { when }) : when;
  },
  validFrom: ({ validFrom }, times) =>
    validFrom ? t('from {minute} on', { minute: minuteText(validFrom, times) }) : undefined,
  validUntil: ({ validUntil }, times) =>
    validUntil ? t('until {minute}', { minute: minuteText(validUntil, times) }) : undefined,
} satisfies Partial<Record<keyof Rules, (rules: Rules, times: Times) => string | undefined>>;

type Cap = NonNullable<Rules['caps']>[number];

const capText = ({ count, per, window }: Cap): string =>
  t(
    'at most {isApp, select, true {{count, plural, one {# message} other {# messages}} of the app} other {{count, plural, =1 {once} =2 {twice} other {# times}}}} {isDay, select, true {a day} other {within {span}}}',
    {
      isApp: per === 'app',
      count,
      isDay: window === 'day',
      span: window === 'day' ? '' : spanText(window),
    },
  );

/** To the minute: `4 May 2026, 11:30`. */
function minuteText(iso: string, times: Times): string {
  return Number.isNaN(Date.parse(iso)) ? '…' : times.minute(iso);
}
