import type { Bar, Block, Fact, Link, ReportDocument } from './blocks.ts';
import { campaignMarks, campaignsText } from './campaigns.ts';
import { calledGroup, effectOf } from './effect.ts';
import { dayBefore, type Figures, isEmpty } from './figures.ts';
import { addDays } from './periods.ts';
import { storyOf } from './story.ts';
import { changeText, isOpen, type ReportWords, sizeOf } from './words.ts';

const maxZones = 8;
const maxMessages = 8;

/** `consoleUrl`: of the app, such as https://pharos.example/console/apps/ID */
export function documentOf(figures: Figures, consoleUrl: string, words: ReportWords): ReportDocument {
  const { subject, every } = figures;
  const clean = (text: string) => text.replace(/\p{C}/gu, ' ').trim();
  const period = words.period(every, figures);
  const name = clean(subject.name);
  return {
    subject: `${name}: ${period}`,
    title: name,
    subtitle:
      every === 'week' ? words.t('The week from {period}', { period }) : words.t('The month of {period}', { period }),
    story: storyOf(figures, words),
    blocks: isEmpty(figures) ? [] : blocksOf(figures, addressOf(figures, consoleUrl, words), words),
    notes: notesOf(figures, words),
    language: words.language,
  };
}

type Address = (page: string) => Link;

/** The console's pages keep what they show in their address. */
function addressOf({ every, from, subject: { venueId } }: Figures, consoleUrl: string, words: ReportWords): Address {
  const query = new URLSearchParams({ unit: every, on: from, ...(venueId === null ? {} : { venue: venueId }) });
  return (page) => ({ text: words.t('Open in the console'), url: `${consoleUrl}/activity/${page}?${query}` });
}

function blocksOf(figures: Figures, address: Address, words: ReportWords): Block[] {
  return [
    factsOf(figures, words),
    daysOf(figures, address, words),
    ...hoursOf(figures, address, words),
    ...zonesOf(figures, address, words),
    ...peaksOf(figures, address, words),
    ...messagesOf(figures, address, words),
    ...effectOf(figures, address('messages'), words),
  ];
}

function factsOf({ every, visits: { total, previous } }: Figures, words: ReportWords): Block {
  const before = previous?.total;
  const wasText = (count: string) =>
    words.t('{every, select, week {week} other {month}} before: {count}', { every, count });
  const counted = (label: string, name: 'visitors' | 'newVisitors' | 'returningVisitors' | 'visits'): Fact => {
    const change = changeText(total?.[name], before?.[name]);
    const was = wasText(words.count(before?.[name]));
    return { label, value: words.count(total?.[name]), note: change === undefined ? was : `${change}; ${was}` };
  };
  const stayed = wasText(words.duration(before?.dwellMedian));
  const half =
    total?.dwellLowerQuartile == null
      ? []
      : [
          words.t('half of the visits took {from} to {until}', {
            from: words.duration(total.dwellLowerQuartile),
            until: words.duration(total.dwellUpperQuartile),
          }),
        ];
  return {
    kind: 'facts',
    facts: [
      counted(words.t('Visitors'), 'visitors'),
      counted(words.t('New'), 'newVisitors'),
      counted(words.t('Returning'), 'returningVisitors'),
      counted(words.t('Visits'), 'visits'),
      {
        label: words.t('Stay (median)'),
        value: words.duration(total?.dwellMedian),
        note: [stayed, ...half].join('; '),
      },
    ],
  };
}

function daysOf(figures: Figures, address: Address, words: ReportWords): Block {
  const { every, visits, subject } = figures;
  const marks = campaignMarks(figures, words);
  const before = new Map(visits.previous?.rows.map((row) => [row.start, row.visitors]));
  const bars = visits.rows.map(({ start = '', visitors }): Bar => {
    const other = dayBefore(every, start);
    return {
      label: words.shortDay(start),
      size: sizeOf(visitors),
      text: words.count(visitors),
      before:
        other !== undefined && before.has(other)
          ? { size: sizeOf(before.get(other)), text: words.count(before.get(other)) }
          : undefined,
      mark:
        [words.dayMark(subject.calendar, start), ...(marks.get(start) ?? [])]
          .filter((one) => one !== undefined)
          .join(', ') || undefined,
    };
  });
  return {
    kind: 'bars',
    title: words.t('Visitors by day'),
    about:
      every === 'week'
        ? words.t('Grey: the same day of the week before.')
        : words.t('Grey: the same day of the month before.'),
    link: address('analytics'),
    bars,
    says: campaignsText(figures, words),
  };
}

/** Hours in which nobody came and the place was closed are left out at both ends of the day. */
function hoursOf({ hours, subject: { calendar } }: Figures, address: Address, words: ReportWords): Block[] {
  const at = new Map(hours.map((row) => [`${row.weekday} ${row.hour}`, row.visitors]));
  const days = words.weekdays.map((_, index) => index + 1);
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
      return { size, text: size === 0 ? '' : words.count(visitors), isOpen: isOpen(calendar, day, hour) };
    }),
  }));
  const shaded = calendar?.week ? [words.t('Grey: closed by the usual hours.')] : [];
  return [
    {
      kind: 'grid',
      title: words.t('Visitors by hour and weekday'),
      about: [words.t('The hour in which their visits began.'), ...shaded].join(' '),
      link: address('analytics'),
      columns: words.weekdays,
      rows,
    },
  ];
}

const gone = (id: string, words: ReportWords) => words.t('Deleted zone ({id})', { id: id.slice(-4) });

function zonesOf({ zones, subject }: Figures, address: Address, words: ReportWords): Block[] {
  if (zones.length === 0) return [];
  const sorted = zones.toSorted((a, b) => sizeOf(b.visitors) - sizeOf(a.visitors));
  const bars = sorted.slice(0, maxZones).map(
    (row): Bar => ({
      label: subject.zones.get(row.zoneId ?? '')?.name ?? gone(row.zoneId ?? '', words),
      size: sizeOf(row.visitors),
      text: words.count(row.visitors),
      mark:
        row.dwellMedian === null
          ? undefined
          : words.t('stay {duration}', { duration: words.duration(row.dwellMedian) }),
    }),
  );
  const more =
    sorted.length > maxZones
      ? [words.t('The {shown} of {all} with the most visitors.', { shown: maxZones, all: sorted.length })]
      : [];
  return [
    {
      kind: 'bars',
      title: words.t('Busiest zones'),
      about: [words.t('Visitors, and how long half of the visits took at most.'), ...more].join(' '),
      link: address('analytics'),
      bars,
    },
  ];
}

/** The peaks, those of queues first: there they mean waiting. */
function peaksOf({ peaks, zones, subject }: Figures, address: Address, words: ReportWords): Block[] {
  const most = new Map<string, NonNullable<typeof peaks>['rows'][number]>();
  for (const row of peaks?.rows ?? []) {
    if (row.zoneId === undefined) continue;
    if (sizeOf(row.peak) > sizeOf(most.get(row.zoneId)?.peak)) most.set(row.zoneId, row);
  }
  const isQueue = (id = '') => subject.zones.get(id)?.kind === 'queue';
  const rows = [...most.values()]
    .toSorted((a, b) => Number(isQueue(b.zoneId)) - Number(isQueue(a.zoneId)) || sizeOf(b.peak) - sizeOf(a.peak))
    .slice(0, maxZones)
    .map(({ zoneId = '', start, peak }) => {
      const stay = zones.find((row) => row.zoneId === zoneId)?.dwellMedian;
      const name = subject.zones.get(zoneId)?.name ?? gone(zoneId, words);
      const day = start === undefined ? '–' : words.shortDay(start);
      const called = isQueue(zoneId) ? words.t('{zone} (queue)', { zone: name }) : name;
      return [called, words.count(peak), day, words.duration(stay)];
    });
  if (rows.length === 0) return [];
  return [
    {
      kind: 'table',
      title: words.t('Most at once'),
      about: words.t('The most visitors at the same moment and on which day; the stay, in a queue, is the wait.'),
      link: address('analytics/peaks'),
      head: [words.t('Zone'), words.t('At once'), words.t('On'), words.t('Stay (median)')],
      rows,
    },
  ];
}

function messagesOf({ messages }: Figures, address: Address, words: ReportWords): Block[] {
  const all = (messages?.messages ?? []).flatMap(({ name, groups }) => groups.map((one) => ({ name, ...one })));
  if (all.length === 0) return [];
  const rows = all
    .slice(0, maxMessages)
    .map(({ name, group, reached, shown, openedBy, acted }) => [
      calledGroup(name, group, words),
      ...[reached, shown, openedBy, acted].map((count) => words.count(count)),
    ]);
  const more =
    all.length > maxMessages
      ? [words.t('The first {shown} of {all} rows.', { shown: maxMessages, all: all.length })]
      : [];
  return [
    {
      kind: 'table',
      title: words.t('Messages'),
      about: [
        words.t('Visitors who were reached, messages shown, visitors who opened one, and who reached its goal.'),
        ...more,
      ].join(' '),
      link: { ...address('messages') },
      head: [words.t('Message'), words.t('Reached'), words.t('Shown'), words.t('Opened'), words.t('Acted')],
      rows,
    },
  ];
}

function notesOf({ every, from, until, visits, subject }: Figures, words: ReportWords): string[] {
  const days = { from, until: addDays(until, -1), zone: visits.timeZone };
  return [
    subject.timeZone === visits.timeZone
      ? words.t('Days from {from} to {until}, counted in {zone}.', days)
      : words.t('Days from {from} to {until}, counted in {zone} (the clocks of {name} are those of {clocks}).', {
          ...days,
          name: subject.name,
          clocks: subject.timeZone,
        }),
    words.t('A visitor is an installation of the app. New are those whose first visit in the app was in this period.'),
    ...(visits.isProtected
      ? [
          words.t(
            'Small groups are protected: 1 to 4 visitors, now and then a few more, are “1–4” without further numbers, others are in fives, a few more or fewer by chance.',
          ),
        ]
      : []),
    ...(visits.isComplete
      ? []
      : [words.t('Some visits were still being counted when this was made. The console has the rest.')]),
    ...(subject.venueId === null
      ? []
      : [words.t('Messages are in the reports about the whole app of {app}.', { app: subject.appName })]),
    every === 'week'
      ? words.t('It is made every Monday, from the numbers of that moment; what phones report later is in the console.')
      : words.t(
          'It is made on the first of each month, from the numbers of that moment; what phones report later is in the console.',
        ),
  ];
}
