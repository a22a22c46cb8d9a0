import type { Times } from '../../lib/time/times.ts';
import { listed, listFormat, t, textParts } from '../../lib/words/words.ts';
import { daysText, type ShownDay, week } from './days.ts';
import type { EventKind, Rules } from './rules.ts';

/** A part of the sentence that describes a rule. */
export type Word = string | { readonly strong: string } | { readonly em: string };

export interface Sentence {
  readonly event: EventKind;
  /** Names of the beacons; null for a deleted one. */
  readonly places: readonly (string | null)[];
  /** What is shown, such as `Welcome`. */
  readonly shown: string;
  /** Said before the title. */
  readonly kind?: 'page' | 'picture' | 'video';
  /** Of a scenario. */
  readonly showOn?: readonly ShownDay[];
  /** The rules in effect. */
  readonly rules: Rules;
  readonly times: Times;
}

/** `15 minutes`; one unit where it comes out even, as in the service's own sentences. */
export function spanText(seconds: number): string {
  const fits = (size: number) => seconds >= size && seconds % size === 0;
  if (fits(86_400)) return t('{days, plural, one {# day} other {# days}}', { days: seconds / 86_400 });
  if (fits(3_600)) return t('{hours, plural, one {# hour} other {# hours}}', { hours: seconds / 3_600 });
  if (fits(60)) return t('{minutes, plural, one {# minute} other {# minutes}}', { minutes: seconds / 60 });
  return t('{seconds, plural, one {# second} other {# seconds}}', { seconds });
}

/** `When a visitor enters Main hall, show Welcome on Mon–Fri.` */
export function sentenceOf({ event, places, shown, kind, showOn, rules, times }: Sentence): Word[] {
  const stay = rules.dwellSeconds ?? 0;
  const parts = textParts<Word | Words>(
    '{event, select, ENTER {When a visitor <em>enters</em> {places}} EXIT {When a visitor <em>leaves</em> {places}} IMMEDIATE {When a visitor <em>stands right at</em> {places}} NEAR {When a visitor <em>comes near</em> {places}} other {When a visitor <em>is farther away from</em> {places}}}{stay}, show {kind, select, page {the page } picture {the picture } video {the video } other {}}{shown}{days}{limits}.',
    {
      event,
      em: (em) => ({ em }),
      places: new Words(placeWords(places)),
      stay: stay > 0 ? stayText(event, spanText(stay)) : '',
      kind: kind ?? '',
      shown: { em: shown.trim() || t('your message') },
      days: new Words(dayWords(showOn)),
      limits: limitTexts(rules, times)
        .map((text) => `, ${text}`)
        .join(''),
    },
  );
  return parts.flatMap((part) => (part instanceof Words ? part.all : [part]));
}

/** Several words in the place of one. */
class Words {
  readonly all: readonly Word[];
  constructor(all: readonly Word[]) {
    this.all = all;
  }
}

const stayText = (event: EventKind, span: string) =>
  event === 'EXIT' ? t(' after a stay of {span} or more', { span }) : t(' and stays {span}', { span });

function placeWords(places: readonly (string | null)[]): Word[] {
  const known = places.filter((place) => place !== null);
  if (places.length === 0) return [{ strong: t('a beacon') }];
  if (known.length === 0) return [{ strong: t('a beacon that is deleted') }];
  const named = known.length > 3 ? known.slice(0, 2) : known;
  const rest = known.length - named.length;
  const items = rest > 0 ? [...named, t('one of {rest} more', { rest })] : named;
  let at = 0;
  return listFormat('or')
    .formatToParts(items)
    .map(({ type, value }) => (type === 'element' && at++ < named.length ? { strong: value } : value));
}

function dayWords(showOn: readonly ShownDay[] | undefined): Word[] {
  if (!showOn) return [];
  const text = daysText(showOn);
  if (text === '') return textParts<Word>(' on <strong>no day</strong>', { strong: (strong) => ({ strong }) });
  const isDaily = week.every((day) => showOn.some(({ dayName, checked }) => dayName === day && checked));
  return [isDaily ? t(' every day') : t(' on {days}', { days: text })];
}

/** Each limit as the end of a sentence. */
export function limitTexts(rules: Rules, times: Times): string[] {
  return (Object.keys(writers) as (keyof typeof writers)[]).flatMap((name) => {
    const text = writers[name](rules, times);
    return text === undefined ? [] : [text];
  });
}

const writers = {
  nthVisit({ nthVisit }) {
    if (!nthVisit) return undefined;
    const { n, mode } = nthVisit;
    return {
      only: t('only at the {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit', { n }),
      from: t('from the {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit on', { n }),
      every: t('at every {n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}} visit', { n }),
    }[mode];
  },
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
