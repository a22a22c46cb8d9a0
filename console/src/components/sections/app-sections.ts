import type { Permission, Standing } from '../../lib/data/access.ts';
import type { IconName } from '../../lib/icon-paths.ts';
import { t } from '../../lib/words/words.ts';

export interface AppSection {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The section is hidden from roles without it. */
  readonly permission?: Permission;
  /** The section is hidden from whoever may not ask this. */
  readonly needs?: Parameters<Standing['mayCall']>[0];
  /** The menu leaves the section out for roles without it, which only look things up there: the search finds it. */
  readonly change?: Permission;
  /** Pages that belong to it and have an address of their own, below the app. */
  readonly also?: string;
  /** Its page shows what belongs to venues; the others are hidden from those who are limited to some. */
  readonly byVenue?: true;
  /** What its pages are for, unless `help.ts` says it for several sections. */
  readonly help?: string;
  /** Where the handbook says more: a page, with its section. */
  readonly handbook?: string;
}

/** An entry of the navigation. While one of its sections is open, all of them are listed below it. */
export interface AppSectionGroup {
  readonly title: string;
  readonly icon: IconName;
  readonly sections: readonly AppSection[];
}

const addressOf = ({ to }: Pick<AppSection, 'to'>, appId: string) => to.replace('$appId', appId);

/** The section that a page belongs to: of those that its address begins with, the longest. Venues are below the beacons. */
export function sectionAt(sections: readonly AppSection[], appId: string, pathname: string): AppSection | undefined {
  const isAt = (address: string) => pathname === address || pathname.startsWith(`${address}/`);
  return sections
    .filter((one) => isAt(addressOf(one, appId)) || (one.also !== undefined && isAt(`/apps/${appId}${one.also}`)))
    .toSorted((a, b) => b.to.length - a.to.length)[0];
}

/** Whether somebody sees it. */
export const isShownTo =
  ({ may, mayCall, venues }: Pick<Standing, 'may' | 'mayCall' | 'venues'>) =>
  ({ permission, needs, byVenue }: AppSection): boolean =>
    needs ? mayCall(needs) : permission !== undefined && may(permission) && (venues === undefined || byVenue === true);

/** Whether it is an entry of somebody's menu. */
export const isInMenuOf = (standing: Standing) => (section: AppSection) =>
  isShownTo(standing)(section) && (section.change === undefined || standing.may(section.change));

/** The sections of an app by the work that they are for. A group without visible sections is hidden. */
export const appSectionGroups = [
  {
    title: t('Home'),
    icon: 'home',
    sections: [
      {
        to: '/apps/$appId/home',
        label: t('Home'),
        icon: 'home',
        permission: 'activity.read',
        byVenue: true,
        help: t('What is happening now, and what needs attention.'),
        handbook: 'activity',
      },
    ],
  },
  {
    title: t('Messages'),
    icon: 'bell',
    sections: [
      {
        to: '/apps/$appId/messages',
        label: t('Messages'),
        icon: 'bell',
        permission: 'content.read',
        change: 'content.write',
        byVenue: true,
        help: t('A message is shown when a visitor comes to a place, stays there or leaves.'),
        handbook: 'messages#messages-at-places',
      },
      {
        to: '/apps/$appId/push',
        label: t('Push'),
        icon: 'megaphone',
        permission: 'push.read',
        change: 'push.send',
        help: t('A push goes to phones without anything happening at a beacon.'),
        handbook: 'messages#push',
      },
      {
        to: '/apps/$appId/activity/what-if',
        label: t('What would happen if'),
        icon: 'story',
        needs: 'simulateSightings',
        help: t('What a visitor would be shown on a walk, and why not.'),
        handbook: 'activity#what-would-happen-if',
      },
      {
        to: '/apps/$appId/activity/walk',
        label: t('Rehearsal'),
        icon: 'people',
        needs: 'simulateWalks',
        help: t('Simulated visitors on the plan, before real ones come.'),
        handbook: 'activity#rehearsal',
      },
      {
        to: '/apps/$appId/phone',
        label: t('Pretend phone'),
        icon: 'phone',
        permission: 'phones.pair',
        byVenue: true,
        help: t('A phone that does not exist walks past a beacon, as the app on a real one would.'),
        handbook: 'messages#a-pretend-phone',
      },
    ],
  },
  {
    title: t('Visitors'),
    icon: 'people',
    sections: [
      {
        to: '/apps/$appId/activity/analytics',
        label: t('Numbers'),
        icon: 'activity',
        needs: 'getVisitNumbers',
        help: t('How many visitors there were, where they were, and which ways they took.'),
        handbook: 'activity#numbers-plan-and-ways',
      },
      {
        to: '/apps/$appId/activity/messages',
        label: t('Effects of messages'),
        icon: 'activity',
        needs: 'getMessageNumbers',
        help: t('What messages led to, and what may be concluded.'),
        handbook: 'activity#messages',
      },
    ],
  },
  {
    title: t('Log'),
    icon: 'activity',
    sections: [
      {
        to: '/apps/$appId/activity',
        label: t('Log'),
        icon: 'activity',
        needs: 'listEvents',
      },
    ],
  },
  {
    title: t('Places'),
    icon: 'map',
    sections: [
      {
        to: '/apps/$appId/beacons/venues',
        label: t('Venues'),
        icon: 'map',
        permission: 'venues.read',
        change: 'venues.write',
        byVenue: true,
        help: t('A venue is a building or a site, with its opening hours, floors and zones.'),
        handbook: 'beacons#venues-floors-and-plans',
      },
      {
        to: '/apps/$appId/beacons',
        label: t('Beacons'),
        icon: 'beacon',
        permission: 'beacons.read',
        change: 'beacons.write',
        byVenue: true,
        help: t('A beacon is a transmitter that the app hears when a visitor comes near.'),
        handbook: 'beacons',
      },
      {
        to: '/apps/$appId/gateways',
        label: t('Gateways'),
        icon: 'antenna',
        needs: 'listGateways',
        change: 'beacons.write',
        help: t('Gateways are fixed receivers that hear tags and beacons, without an app.'),
        handbook: 'beacons#gateways',
      },
      {
        to: '/apps/$appId/devices',
        label: t('Devices'),
        icon: 'device',
        permission: 'devices.read',
        change: 'devices.write',
        help: t('Devices are screens, lamps and players that are told when somebody is near.'),
        handbook: 'beacons#devices',
      },
    ],
  },
  {
    title: t('People'),
    icon: 'user',
    sections: [
      {
        to: '/apps/$appId/installations',
        label: t('Phones'),
        icon: 'phone',
        permission: 'installations.read',
        change: 'installations.write',
        help: t('Every phone that has the app, and what it was shown.'),
        handbook: 'people#phones',
      },
      {
        to: '/apps/$appId/users',
        label: t('Accounts'),
        icon: 'user',
        permission: 'users.read',
        also: '/sign-in',
        help: t('People with an account in the app.'),
        handbook: 'people#accounts',
      },
    ],
  },
  {
    title: t('Content'),
    icon: 'bucket',
    sections: [
      {
        to: '/apps/$appId/buckets',
        label: t('Data'),
        icon: 'bucket',
        permission: 'buckets.read',
        change: 'records.write',
        help: t('Records that the app shows, such as exhibits or opening hours.'),
        handbook: 'content#data',
      },
      {
        to: '/apps/$appId/files',
        label: t('Files'),
        icon: 'file',
        permission: 'files.read',
        change: 'files.write',
        help: t('Pictures, sounds and documents that messages and records refer to.'),
        handbook: 'content#files',
      },
    ],
  },
  {
    title: t('Settings'),
    icon: 'settings',
    sections: [
      {
        to: '/apps/$appId/settings',
        label: t('General'),
        icon: 'settings',
        permission: 'settings.read',
        change: 'apps.change',
        help: t('Name, time zone, switching the app off and deleting it.'),
        handbook: 'app#settings',
      },
      {
        to: '/apps/$appId/api',
        label: t('API'),
        icon: 'code',
        permission: 'settings.read',
        change: 'apps.change',
        help: t('All operations of the interface, to read and to try.'),
        handbook: 'app#the-interface',
      },
      {
        to: '/apps/$appId/keys',
        label: t('Keys'),
        icon: 'key',
        permission: 'keys.read',
        help: t('What the app and your servers show to be let in.'),
        handbook: 'app#keys',
      },
      {
        to: '/apps/$appId/senders',
        label: t('Push services'),
        icon: 'antenna',
        permission: 'senders.read',
        help: t('Credentials of the push services that bring messages to phones.'),
        handbook: 'app#push-services',
      },
      {
        to: '/apps/$appId/webhooks',
        label: t('Webhooks'),
        icon: 'link',
        permission: 'webhooks.read',
        help: t('Addresses of yours that are called when something happens.'),
        handbook: 'app#webhooks',
      },
      {
        to: '/apps/$appId/rules',
        label: t('Rules'),
        icon: 'shield',
        permission: 'settings.read',
        change: 'apps.change',
        help: t('Who may read and write what.'),
        handbook: 'app#rules',
      },
      {
        to: '/apps/$appId/policy',
        label: t('Limits'),
        icon: 'rules',
        permission: 'settings.read',
        change: 'apps.change',
        help: t('Limits, quotas, how long things are kept and how often messages are shown.'),
        handbook: 'app#limits',
      },
      {
        to: '/apps/$appId/privacy',
        label: t('Privacy'),
        icon: 'file',
        permission: 'settings.read',
        change: 'apps.change',
        help: t('What is kept about visitors, in words.'),
        handbook: 'people#privacy',
      },
    ],
  },
] as const satisfies readonly AppSectionGroup[];

/** All sections in this order. An app opens with the first one that the role may see. */
export const appSections: readonly AppSection[] = appSectionGroups.flatMap(({ sections }) => [...sections]);
