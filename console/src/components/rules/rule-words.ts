import type { Times } from '../../lib/time/times.ts';
import { daysText, type ShownDay, week } from './days.ts';
import { type EventKind, eventTexts, type Rules } from './rules.ts';

/** A part of the sentence that describes a rule. */
export type Word = string | { readonly strong: string } | { readonly em: string };

export interface Sentence {
  readonly event: EventKind;
  /** Names of the beacons; null for a deleted one. */
  readonly places: readonly (string | null)[];
  /** What is shown, such as `Welcome`. */
  readonly shown: string;
  /** Before the title: `the picture`. */
  readonly kind?: string;
  /** Of a scenario. */
  readonly showOn?: readonly ShownDay[];
  /** The rules in effect. */
  readonly rules: Rules;
  readonly times: Times;
}

/** `15 minutes`; one unit where it comes out even, as in the service's own sentences. */
export function spanText(seconds: number): string {
  const [size, name] = (
    [
      [86_400, 'day'],
      [3_600, 'hour'],
      [60, 'minute'],
    ] as const
  ).find(([size]) => seconds >= size && seconds % size === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

/** `When a visitor enters Main hall, show Welcome on Mon–Fri.` */
export function sentenceOf({ event, places, shown, kind, showOn, rules, times }: Sentence): Word[] {
  const stay = rules.dwellSeconds ?? 0;
  const stayed = event === 'EXIT' ? ' after a stay of ' : ' and stays ';
  return [
    'When a visitor ',
    { em: eventTexts[event].verb },
    ' ',
    ...placeWords(places),
    ...(stay > 0 ? [`${stayed}${spanText(stay)}${event === 'EXIT' ? ' or more' : ''}`] : []),
    `, show ${kind ? `${kind} ` : ''}`,
    { em: shown.trim() || 'your message' },
    ...dayWords(showOn),
    ...limitTexts(rules, times).map((text) => `, ${text}`),
    '.',
  ];
}

function placeWords(places: readonly (string | null)[]): Word[] {
  const known = places.filter((place) => place !== null);
  if (places.length === 0) return [{ strong: 'a beacon' }];
  if (known.length === 0) return [{ strong: 'a beacon that is deleted' }];
  const named = known.length > 3 ? known.slice(0, 2) : known;
  const rest = known.length - named.length;
  return named
    .flatMap((name, index): Word[] => {
      const isLast = index === named.length - 1 && rest === 0;
      return [...(index === 0 ? [] : [isLast ? ' or ' : ', ']), { strong: name }];
    })
    .concat(rest > 0 ? [` or one of ${rest} more`] : []);
}

function dayWords(showOn: readonly ShownDay[] | undefined): Word[] {
  if (!showOn) return [];
  const text = daysText(showOn);
  if (text === '') return [' on ', { strong: 'no day' }];
  const isDaily = week.every((day) => showOn.some(({ dayName, checked }) => dayName === day && checked));
  return [isDaily ? ' every day' : ` on ${text}`];
}

const ordinal = (n: number): string => {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`;
};

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
      only: `only at the ${ordinal(n)} visit`,
      from: `from the ${ordinal(n)} visit on`,
      every: `at every ${ordinal(n)} visit`,
    }[mode];
  },
  oncePer: ({ oncePer }) => (oncePer === 'event' ? 'each time, even within one visit' : undefined),
  coolDown: ({ coolDown }) =>
    coolDown
      ? `with a pause of ${spanText(coolDown.seconds)} after ${coolDown.per === 'app' ? 'any other message' : 'the last time'}`
      : undefined,
  caps: ({ caps }) =>
    caps && caps.length > 0
      ? caps
          .map(({ count, per, window }) => {
            const what = per === 'app' ? `${count} message${count === 1 ? '' : 's'} of the app` : timesText(count);
            return `at most ${what} ${window === 'day' ? 'a day' : `within ${spanText(window)}`}`;
          })
          .join(' and ')
      : undefined,
  quietHours: ({ quietHours }) => (quietHours ? `never from ${quietHours.from} to ${quietHours.until}` : undefined),
  validFrom: ({ validFrom }, times) => (validFrom ? `from ${minuteText(validFrom, times)} on` : undefined),
  validUntil: ({ validUntil }, times) => (validUntil ? `until ${minuteText(validUntil, times)}` : undefined),
} satisfies Partial<Record<keyof Rules, (rules: Rules, times: Times) => string | undefined>>;

const timesText = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

/** To the minute: `4 May 2026, 11:30`. */
function minuteText(iso: string, times: Times): string {
  return Number.isNaN(Date.parse(iso)) ? '…' : times.minute(iso);
}
