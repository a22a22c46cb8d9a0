import type { Bar, Block, Fact, Link, ReportDocument } from './blocks.ts';
import { campaignMarks, campaignsText } from './campaigns.ts';
import { calledGroup, effectOf } from './effect.ts';
import { dayBefore, type Figures, isEmpty } from './figures.ts';
import { addDays, type Every } from './periods.ts';
import { storyOf } from './story.ts';
import {
  changeText,
  countText,
  dayMark,
  durationText,
  isOpen,
  periodText,
  shortDay,
  sizeOf,
  weekdays,
} from './words.ts';

const mostZones = 8;
const mostMessages = 8;

/** `consoleUrl`: of the app, such as https://pharos.example/console/apps/ID */
export function documentOf(figures: Figures, consoleUrl: string): ReportDocument {
  const { subject, every } = figures;
  const clean = (text: string) => text.replace(/\p{C}/gu, ' ').trim();
  const period = periodText(every, figures);
  const name = clean(subject.name);
  return {
    subject: `${name}: ${period}`,
    title: name,
    subtitle: `${every === 'week' ? 'The week from' : 'The month of'} ${period}`,
    story: storyOf(figures),
    blocks: isEmpty(figures) ? [] : blocksOf(figures, addressOf(figures, consoleUrl)),
    notes: notesOf(figures),
  };
}

type Address = (page: string) => Link;

/** The console's pages keep what they show in their address. */
function addressOf({ every, from, subject: { venueId } }: Figures, consoleUrl: string): Address {
  const query = new URLSearchParams({ unit: every, on: from, ...(venueId === null ? {} : { venue: venueId }) });
  return (page) => ({ text: 'Open in the console', url: `${consoleUrl}/activity/${page}?${query}` });
}

function blocksOf(figures: Figures, address: Address): Block[] {
  return [
    factsOf(figures),
    daysOf(figures, address),
    ...hoursOf(figures, address),
    ...zonesOf(figures, address),
    ...peaksOf(figures, address),
    ...messagesOf(figures, address),
    ...effectOf(figures, address('messages')),
  ];
}

function factsOf({ every, visits: { total, previous } }: Figures): Block {
  const before = previous?.total;
  const counted = (label: string, name: 'visitors' | 'newVisitors' | 'returningVisitors' | 'visits'): Fact => {
    const change = changeText(total?.[name], before?.[name]);
    const was = `${every} before: ${countText(before?.[name])}`;
    return { label, value: countText(total?.[name]), note: change === undefined ? was : `${change}; ${was}` };
  };
  const half =
    total?.dwellLowerQuartile == null
      ? ''
      : `; half of the visits took ${durationText(total.dwellLowerQuartile)} to ${durationText(total.dwellUpperQuartile)}`;
  return {
    kind: 'facts',
    facts: [
      counted('Visitors', 'visitors'),
      counted('New', 'newVisitors'),
      counted('Returning', 'returningVisitors'),
      counted('Visits', 'visits'),
      {
        label: 'Stay (median)',
        value: durationText(total?.dwellMedian),
        note: `${every} before: ${durationText(before?.dwellMedian)}${half}`,
      },
    ],
  };
}

const comparedTo: Readonly<Record<Every, string>> = {
  week: 'Grey: the same day of the week before.',
  month: 'Grey: the same day of the month before.',
};

function daysOf(figures: Figures, address: Address): Block {
  const { every, visits, subject } = figures;
  const marks = campaignMarks(figures);
  const before = new Map(visits.previous?.rows.map((row) => [row.start, row.visitors]));
  const bars = visits.rows.map(({ start = '', visitors }): Bar => {
    const other = dayBefore(every, start);
    return {
      label: shortDay(start),
      size: sizeOf(visitors),
      text: countText(visitors),
      before:
        other !== undefined && before.has(other)
          ? { size: sizeOf(before.get(other)), text: countText(before.get(other)) }
          : undefined,
      mark:
        [dayMark(subject.calendar, start), ...(marks.get(start) ?? [])].filter((one) => one !== undefined).join(', ') ||
        undefined,
    };
  });
  return {
    kind: 'bars',
    title: 'Visitors by day',
    about: comparedTo[every],
    link: address('analytics'),
    bars,
    says: campaignsText(figures),
  };
}

/** Hours in which nobody came and the place was closed are left out at both ends of the day. */
function hoursOf({ hours, subject: { calendar } }: Figures, address: Address): Block[] {
  const at = new Map(hours.map((row) => [`${row.weekday} ${row.hour}`, row.visitors]));
  const days = weekdays.map((_, index) => index + 1);
  const isUsed = (hour: number) =>
    days.some(
      (day) => sizeOf(at.get(`${day} ${hour}`)) > 0 || (calendar?.week !== undefined && isOpen(calendar, day, hour)),
    );
  const all = Array.from({ length: 24 }, (_, hour) => hour);
  const [first, last] = [all.find(isUsed), all.findLast(isUsed)];
  if (first === undefined || last === undefined) return [];
  const rows = all.slice(first, last + 1).map((hour) => ({
    label: `${String(hour).padStart(2, '0')}:00`,
    cells: days.map((day) => {
      const visitors = at.get(`${day} ${hour}`);
      const size = sizeOf(visitors);
      return { size, text: size === 0 ? '' : countText(visitors), isOpen: isOpen(calendar, day, hour) };
    }),
  }));
  const shaded = calendar?.week ? ' Grey: closed by the usual hours.' : '';
  return [
    {
      kind: 'grid',
      title: 'Visitors by hour and weekday',
      about: `The hour in which their visits began.${shaded}`,
      link: address('analytics'),
      columns: weekdays,
      rows,
    },
  ];
}

const gone = (id: string) => `Deleted zone (${id.slice(-4)})`;

function zonesOf({ zones, subject }: Figures, address: Address): Block[] {
  if (zones.length === 0) return [];
  const sorted = zones.toSorted((a, b) => sizeOf(b.visitors) - sizeOf(a.visitors));
  const bars = sorted.slice(0, mostZones).map(
    (row): Bar => ({
      label: subject.zones.get(row.zoneId ?? '')?.name ?? gone(row.zoneId ?? ''),
      size: sizeOf(row.visitors),
      text: countText(row.visitors),
      mark: row.dwellMedian === null ? undefined : `stay ${durationText(row.dwellMedian)}`,
    }),
  );
  const more = sorted.length > mostZones ? ` The ${mostZones} of ${sorted.length} with the most visitors.` : '';
  return [
    {
      kind: 'bars',
      title: 'Busiest zones',
      about: `Visitors, and how long half of the visits took at most.${more}`,
      link: address('analytics'),
      bars,
    },
  ];
}

/** Queues first: there it is waiting. */
function peaksOf({ peaks, zones, subject }: Figures, address: Address): Block[] {
  const most = new Map<string, NonNullable<typeof peaks>['rows'][number]>();
  for (const row of peaks?.rows ?? []) {
    if (row.zoneId === undefined) continue;
    if (sizeOf(row.peak) > sizeOf(most.get(row.zoneId)?.peak)) most.set(row.zoneId, row);
  }
  const isQueue = (id = '') => subject.zones.get(id)?.kind === 'queue';
  const rows = [...most.values()]
    .toSorted((a, b) => Number(isQueue(b.zoneId)) - Number(isQueue(a.zoneId)) || sizeOf(b.peak) - sizeOf(a.peak))
    .slice(0, mostZones)
    .map(({ zoneId = '', start, peak }) => {
      const stay = zones.find((row) => row.zoneId === zoneId)?.dwellMedian;
      const name = subject.zones.get(zoneId)?.name ?? gone(zoneId);
      const day = start === undefined ? '–' : shortDay(start);
      return [isQueue(zoneId) ? `${name} (queue)` : name, countText(peak), day, durationText(stay)];
    });
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      title: 'Most at once',
      about: 'The most visitors at the same moment and on which day; the stay, in a queue, is the wait.',
      link: address('analytics/peaks'),
      head: ['Zone', 'At once', 'On', 'Stay (median)'],
      rows,
    },
  ];
}

function messagesOf({ messages }: Figures, address: Address): Block[] {
  const all = (messages?.messages ?? []).flatMap(({ name, groups }) => groups.map((one) => ({ name, ...one })));
  if (all.length === 0) return [];
  const rows = all
    .slice(0, mostMessages)
    .map(({ name, group, reached, shown, openedBy, acted }) => [
      calledGroup(name, group),
      ...[reached, shown, openedBy, acted].map(countText),
    ]);
  const more = all.length > mostMessages ? ` The first ${mostMessages} of ${all.length} rows.` : '';
  return [
    {
      kind: 'table',
      title: 'Messages',
      about: `Visitors who were reached, messages shown, visitors who opened one, and who reached its goal.${more}`,
      link: { ...address('messages') },
      head: ['Message', 'Reached', 'Shown', 'Opened', 'Acted'],
      rows,
    },
  ];
}

function notesOf({ every, from, until, visits, subject }: Figures): string[] {
  const last = addDays(until, -1);
  const days = `Days from ${from} to ${last}, counted in ${visits.timeZone}`;
  return [
    `${days}${subject.timeZone === visits.timeZone ? '' : ` (the clocks of ${subject.name} are those of ${subject.timeZone})`}.`,
    'A visitor is an installation of the app. New are those whose first visit in the app was in this period.',
    ...(visits.isProtected
      ? ['Small groups are protected: 1 to 4 visitors are “1–4” without further numbers, others are rounded to fives.']
      : []),
    ...(visits.isComplete
      ? []
      : ['Some visits were still being counted when this was made. The console has the rest.']),
    ...(subject.venueId === null ? [] : [`Messages are in the reports about the whole app of ${subject.appName}.`]),
    `It is made ${every === 'week' ? 'every Monday' : 'on the first of each month'}, from the numbers of that moment; what phones report later is in the console.`,
  ];
}
