import { t } from '../../lib/words/words.ts';
/** What a page is for, in one paragraph, and where the handbook says more. */
export interface Help {
  /** Of the pages whose address has this form, below an app (`/…`) or not (`//…`). */
  readonly path: RegExp;
  readonly text: string;
  /** A page of the handbook, with its section. */
  readonly handbook: string;
}

/** The first that fits counts. */
export const help: readonly Help[] = [
  of('home', t('What is happening now, and what needs attention.'), 'activity'),
  of('activity/what-if', t('What a visitor would be shown on a walk, and why not.'), 'activity#what-would-happen-if'),
  of('activity/walk', t('Simulated visitors on the plan, before real ones come.'), 'activity#rehearsal'),
  of('activity/messages', t('What messages led to, and what may be concluded.'), 'activity#messages'),
  of('activity/deliveries', t('What became of each message for each visitor.'), 'activity#deliveries'),
  of('activity/logs', t('The records that apps write and read.'), 'activity#logs'),
  of(
    'activity/analytics/reports',
    t('Figures that go to people by mail each week or month.'),
    'activity#reports-by-mail',
  ),
  of(
    'activity/analytics',
    t('How many visitors there were, where they were, and which ways they took.'),
    'activity#numbers-plan-and-ways',
  ),
  of('activity', t('What visitors did at your beacons, and what they were shown.'), 'activity#events-and-visits'),
  of(
    'messages',
    t('A message is shown when a visitor comes to a place, stays there or leaves.'),
    'messages#messages-at-places',
  ),
  of('push', t('A push goes to phones without anything happening at a beacon.'), 'messages#push'),
  of(
    'beacons/venues/[^/]+/(round|labels)',
    t('An installer goes through the beacons of a venue and says where they are.'),
    'beacons#install-round',
  ),
  of(
    'beacons/venues',
    t('A venue is a building or a site, with its opening hours, floors and zones.'),
    'beacons#venues-floors-and-plans',
  ),
  of('beacons', t('A beacon is a transmitter that the app hears when a visitor comes near.'), 'beacons'),
  of('devices', t('Devices are screens, lamps and players that are told when somebody is near.'), 'beacons#devices'),
  of('installations', t('An installation is the app on one phone.'), 'people#installations'),
  of('users', t('Users are people with an account in the app.'), 'people#users'),
  of('buckets', t('Records that the app shows, such as exhibits or opening hours.'), 'content#data'),
  of('files', t('Pictures, sounds and documents that messages and records refer to.'), 'content#files'),
  of('sign-in', t('Other services through which users of the app may sign in.'), 'people#users'),
  of('trash', t('What was deleted, and can be put back for 30 days.'), 'content#data'),
  of('api', t('All operations of the interface, to read and to try.'), 'app#the-interface'),
  of('keys', t('What the app and your servers show to be let in.'), 'app#keys'),
  of('senders', t('Credentials of the push services that bring messages to phones.'), 'app#senders'),
  of('webhooks', t('Addresses of yours that are called when something happens.'), 'app#webhooks'),
  of('rules', t('Who may read and write what.'), 'app#rules'),
  of('policy', t('Limits, quotas, how long things are kept and how often messages are shown.'), 'app#policy'),
  of('privacy', t('What is kept about visitors, in words.'), 'people#privacy'),
  of('settings', t('Name, time zone, switching the app off and deleting it.'), 'app#settings'),
  service('account', t('How you sign in, and what you are told by mail.'), 'account'),
  service('system', t('The health of the service, and its backups.'), 'service#system'),
  service('administrators', t('Who may work in this console.'), 'service#administrators'),
  service('audit', t('Who changed what, and when.'), 'service#audit'),
  service('apps', t('Each app has its own beacons, messages and visitors.'), 'service#apps'),
];

function of(section: string, text: string, handbook: string): Help {
  return { path: new RegExp(`/apps/[^/]+/${section}(/|$)`), text, handbook };
}

function service(section: string, text: string, handbook: string): Help {
  return { path: new RegExp(`^(/console)?/${section}/?`), text, handbook };
}

/** Of the page at this path; undefined for pages without help, such as signing in. */
export const helpOf = (pathname: string): Help | undefined => help.find(({ path }) => path.test(pathname));
