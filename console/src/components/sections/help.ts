import { pageLanguage, t } from '../../lib/words/words.ts';
import { appSections } from './app-sections.ts';

/** What a page is for, in one paragraph, and where the handbook says more. */
export interface Help {
  /** Of the pages whose address has this form, below an app (`/…`) or not (`//…`). */
  readonly path: RegExp;
  readonly text: string;
  readonly handbook: string;
}

const several: readonly Help[] = [
  of(
    'activity/analytics/reports',
    t('Figures that go to people by mail each week or month.'),
    'activity#reports-by-mail',
  ),
  of('activity', t('What visitors did at your beacons, and what they were shown.'), 'activity#events-and-visits'),
  of(
    'beacons/venues/[^/]+/(round|labels)',
    t('An installer goes through the beacons of a venue and says where they are.'),
    'beacons#install-round',
  ),
  of('sign-in', t('Other services through which users of the app may sign in.'), 'people#accounts'),
  of('trash', t('What was deleted, and can be put back for 30 days.'), 'content#data'),
  ...appSections.flatMap(({ to, help, handbook }) =>
    help && handbook ? [of(to.replace('/apps/$appId/', ''), help, handbook)] : [],
  ),
];

/** The first that fits counts: the longest address. */
export const help: readonly Help[] = [
  ...several.toSorted((one, other) => other.path.source.length - one.path.source.length),
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

export const handbookAt = (section: string): string => `/handbook/${pageLanguage() === 'de' ? 'de/' : ''}${section}`;
