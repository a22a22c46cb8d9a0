import type { DeliveryRules } from '../access/delivery-rules.ts';
import { exhibition, museum } from './halls.ts';

/** The museum's messages to its visitors. Times are days before the demo was created, so that it always looks fresh. */

export interface NotificationPlan {
  readonly description: string;
  readonly hall: string;
  readonly event: 'ENTER' | 'EXIT' | 'IMMEDIATE' | 'NEAR' | 'FAR';
  readonly isEnabled: boolean;
  readonly daysAgo: number;
  readonly delivery?: DeliveryRules;
  /** Visitors should come to this hall within this many hours; some of them get nothing, so that the effect can be measured. */
  readonly trial?: { readonly hall: string; readonly withinHours: number; readonly holdout: number };
  readonly shows:
    | { readonly type: 'TEXT'; readonly title: string; readonly text: string }
    /** The name of one of the demo's files. */
    | { readonly type: 'IMAGE'; readonly file: string }
    | { readonly type: 'VIDEO'; readonly url: string };
}

const dayMs = 86_400_000;
const text = (title: string, words: string) => ({ type: 'TEXT', title, text: words }) as const;
const at = (now: number, days: number) =>
  new Date(Math.floor((now + days * dayMs) / dayMs) * dayMs + 7 * 3_600_000).toISOString();

interface RelativePlan extends NotificationPlan {
  /** From when until when it is valid, in days after the demo was made. */
  readonly validDays?: readonly [from: number, until: number];
}

export function notificationPlans(now: number): readonly NotificationPlan[] {
  return notifications.map(({ validDays, ...plan }) =>
    validDays ? { ...plan, delivery: { validFrom: at(now, validDays[0]), validUntil: at(now, validDays[1]) } } : plan,
  );
}

const plan = (
  [hall, event, daysAgo]: readonly [string, NotificationPlan['event'], number],
  description: string,
  shows: NotificationPlan['shows'],
  more: Pick<RelativePlan, 'delivery' | 'validDays' | 'trial'> & { readonly isEnabled?: false } = {},
): RelativePlan => ({ hall, event, daysAgo, description, shows, isEnabled: true, ...more });

/**
 * The campaign that works: visitors who get it come to the shop more often, namely this share of those who would not. Who is held out is
 * drawn anew for each demo: with 0.28, chance hid the effect in one demo of a hundred that were made in spring, when few had come.
 */
export const workingCampaign = { description: 'A chart of your own', hall: 'whale', goal: 'shop', lift: 0.36 } as const;
/** The one that changes nothing. */
export const idleCampaign = { description: 'Soup after the tide pool', hall: 'tidepool', goal: 'cafe' } as const;
const goalHours = 4;
export const goalMs = goalHours * 3_600_000;

const trials: readonly RelativePlan[] = [
  plan(
    [workingCampaign.hall, 'ENTER', 170],
    workingCampaign.description,
    text('Where do whales swim?', 'Take the chart home: in the shop today with ten percent off.'),
    { trial: { hall: workingCampaign.goal, withinHours: goalHours, holdout: 40 } },
  ),
  plan(
    [idleCampaign.hall, 'ENTER', 170],
    idleCampaign.description,
    text('Cold hands?', 'There is hot soup in the Lantern Café.'),
    { trial: { hall: idleCampaign.goal, withinHours: goalHours, holdout: 30 } },
  ),
];

const notifications: readonly RelativePlan[] = [
  ...trials,
  plan(
    ['entrance', 'ENTER', 398],
    'Welcome',
    text('Welcome to Skerry Point', 'Your guide is ready. Start with the whale.'),
  ),
  plan(
    ['entrance', 'ENTER', 300],
    'Welcome back',
    text('Good to see you again', 'Show this at the café: coffee is on us.'),
    {
      delivery: { nthVisit: { n: 2, mode: 'from' } },
    },
  ),
  plan(['whale', 'ENTER', 396], 'The whale in pictures', { type: 'IMAGE', file: 'whale-hall.png' }),
  plan(
    ['tidepool', 'ENTER', 396],
    'Hands in the water',
    text('You may touch', 'Wet your hands first, and leave the crabs in the pool.'),
    {
      delivery: { dwellSeconds: 60 },
    },
  ),
  plan(['lens', 'NEAR', 390], 'How a lens bends light', { type: 'VIDEO', url: `${museum.site}/films/lens.mp4` }),
  plan(
    ['lens', 'ENTER', 390],
    'The first-order lens',
    { type: 'IMAGE', file: 'first-order-lens.png' },
    {
      delivery: { coolDown: { seconds: 3600, per: 'trigger' } },
    },
  ),
  plan(
    ['foghorn', 'ENTER', 310],
    'The fog horn sounds at noon',
    text('It gets loud', 'The fog horn sounds every day at noon.'),
    {
      delivery: { coolDown: { seconds: 900, per: 'app' } },
    },
  ),
  plan(
    ['radio', 'ENTER', 240],
    'Send your name in Morse',
    text('Dit dah dit', 'Send your name in Morse at the left table.'),
  ),
  plan(['lantern', 'ENTER', 380], 'View from the lantern', { type: 'IMAGE', file: 'view-from-the-lantern.png' }),
  plan(
    ['shop', 'ENTER', 350],
    'Ten percent in the shop',
    text('For members', 'Ten percent off all sea charts today.'),
    {
      delivery: { caps: [{ count: 1, per: 'trigger', window: 30 * 86_400 }] },
    },
  ),
  plan(['cafe', 'ENTER', 200], 'Soup of the day', text('Lantern Café', 'The soup of the day is on the board.'), {
    isEnabled: false,
  }),
  plan(
    ['entrance', 'EXIT', 330],
    'Goodbye',
    text('Thank you for coming', 'The next tide tour starts on Sunday at eleven.'),
    {
      delivery: { caps: [{ count: 1, per: 'trigger', window: 'day' }] },
    },
  ),
  plan(['storm', 'ENTER', 150], 'Storm season', text('Storm season', 'Hear the gale of 1902 from the headphones.'), {
    validDays: [-150, -exhibition.until],
  }),
  plan(
    [exhibition.hall, 'ENTER', exhibition.from],
    exhibition.name,
    text(exhibition.name, 'New in the Storm Gallery: the winter in which the strait froze.'),
    { validDays: [-exhibition.from, 75] },
  ),
  plan(
    ['stairs', 'ENTER', 370],
    'Seventy-two steps',
    text('Seventy-two steps', 'There is a lift behind the Radio Room.'),
  ),
];

export interface ScenarioPlan {
  readonly halls: readonly string[];
  readonly campaign: 'TEXT' | 'URL' | 'IMAGE' | 'VIDEO';
  readonly event: NotificationPlan['event'];
  readonly days: string;
  readonly title: string;
  readonly text: string;
  readonly page?: string;
  readonly video?: string;
  /** The name of one of the demo's files. */
  readonly image?: string;
  readonly delivery?: DeliveryRules;
}

export interface StorylinePlan {
  readonly title: string;
  readonly isEnabled: boolean;
  readonly daysAgo: number;
  readonly scenarios: readonly ScenarioPlan[];
}

const daily = 'Sun Mon Tue Wed Thu Fri Sat';
const open = 'Sun Tue Wed Thu Fri Sat';
const weekend = 'Sat Sun';

export const storylinePlans: readonly StorylinePlan[] = [
  {
    title: "A keeper's day",
    isEnabled: true,
    daysAgo: 385,
    scenarios: [
      {
        halls: ['kitchen'],
        campaign: 'TEXT',
        event: 'ENTER',
        days: open,
        title: 'Six in the morning',
        text: 'The stove is lit, the log book is open.',
      },
      {
        halls: ['clockwork'],
        campaign: 'IMAGE',
        event: 'ENTER',
        days: open,
        title: 'Winding the clockwork',
        text: 'Every four hours, day and night.',
        image: 'clockwork.png',
      },
      {
        halls: ['bedroom'],
        campaign: 'TEXT',
        event: 'ENTER',
        days: open,
        title: 'Four hours of sleep',
        text: 'The bell above the bed rang for the next watch.',
        delivery: { dwellSeconds: 30 },
      },
    ],
  },
  {
    title: 'Life between the tides',
    isEnabled: true,
    daysAgo: 360,
    scenarios: [
      {
        halls: ['tidepool', 'seabirds'],
        campaign: 'URL',
        event: 'ENTER',
        days: daily,
        title: 'Who lives here?',
        text: 'Six animals to find.',
        page: `${museum.site}/tides`,
      },
      {
        halls: ['herbarium'],
        campaign: 'TEXT',
        event: 'ENTER',
        days: daily,
        title: 'Pressed in 1874',
        text: 'These seaweeds have kept their colours.',
      },
    ],
  },
  {
    title: 'Family weekend',
    isEnabled: true,
    daysAgo: 280,
    scenarios: [
      {
        halls: ['workshop'],
        campaign: 'TEXT',
        event: 'ENTER',
        days: weekend,
        title: 'Build a lighthouse',
        text: 'Paper, lamp and glue are on the table.',
      },
      {
        halls: ['whale', 'wreck'],
        campaign: 'URL',
        event: 'ENTER',
        days: weekend,
        title: 'The treasure trail',
        text: 'Find the next letter.',
        page: `${museum.site}/trail`,
      },
    ],
  },
  {
    title: 'Long Thursday',
    isEnabled: true,
    daysAgo: 220,
    scenarios: [
      {
        halls: ['cinema'],
        campaign: 'VIDEO',
        event: 'ENTER',
        days: 'Thu',
        title: 'Tonight: the winter sky',
        text: 'The film starts at seven.',
        video: `${museum.site}/films/winter-sky.mp4`,
      },
      {
        halls: ['cafe'],
        campaign: 'TEXT',
        event: 'EXIT',
        days: 'Thu',
        title: 'One more hour',
        text: 'The lantern is open until eight.',
        delivery: { dwellSeconds: 600 },
      },
    ],
  },
  {
    title: 'Harbour in winter',
    isEnabled: false,
    daysAgo: 120,
    scenarios: [
      {
        halls: ['harbour', 'maps'],
        campaign: 'IMAGE',
        event: 'ENTER',
        days: daily,
        title: 'Ice in the harbour',
        text: 'The winter of 1929.',
        image: 'harbour-in-winter.png',
      },
    ],
  },
];
