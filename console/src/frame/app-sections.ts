import type { IconName } from '../components/page/icon.tsx';
import type { Permission, Standing } from '../lib/data/access.ts';
import { t } from '../lib/words/words.ts';

export interface AppSection {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The section is hidden from roles without it. */
  readonly permission?: Permission;
  /** The section is hidden from whoever may not ask this. */
  readonly needs?: Parameters<Standing['mayCall']>[0];
  /** Pages that belong to it and have an address of their own, below the app. */
  readonly also?: string;
  /** Its page shows what belongs to venues; the others are hidden from those who are limited to some. */
  readonly byVenue?: true;
}

/** An entry of the navigation. While one of its sections is open, all of them are listed below it. */
export interface AppSectionGroup {
  readonly title: string;
  readonly icon: IconName;
  readonly sections: readonly AppSection[];
}

/** The address of a section in an app. */
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

/** The sections of an app by the work that they are for. A group without visible sections is hidden. */
export const appSectionGroups = [
  {
    title: t('Home'),
    icon: 'home',
    sections: [{ to: '/apps/$appId/home', label: t('Home'), icon: 'home', permission: 'activity.read', byVenue: true }],
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
        byVenue: true,
      },
      { to: '/apps/$appId/push', label: t('Push'), icon: 'megaphone', permission: 'activity.read' },
      {
        to: '/apps/$appId/activity/what-if',
        label: t('What would happen if'),
        icon: 'story',
        needs: 'simulateSightings',
      },
      { to: '/apps/$appId/activity/walk', label: t('Rehearsal'), icon: 'people', needs: 'simulateWalks' },
    ],
  },
  {
    title: t('Visitors'),
    icon: 'people',
    sections: [
      { to: '/apps/$appId/activity/analytics', label: t('Numbers'), icon: 'activity', needs: 'getVisitNumbers' },
      {
        to: '/apps/$appId/activity/messages',
        label: t('Effects of messages'),
        icon: 'activity',
        needs: 'getMessageNumbers',
      },
    ],
  },
  {
    title: t('Log'),
    icon: 'activity',
    sections: [
      { to: '/apps/$appId/activity/events', label: t('Events'), icon: 'activity', needs: 'listEvents' },
      { to: '/apps/$appId/activity/visits', label: t('Visits'), icon: 'activity', needs: 'listVisits' },
      { to: '/apps/$appId/activity/deliveries', label: t('Deliveries'), icon: 'megaphone', needs: 'listDeliveries' },
      { to: '/apps/$appId/activity/logs', label: t('Log records'), icon: 'list', needs: 'listLogs' },
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
        byVenue: true,
      },
      { to: '/apps/$appId/beacons', label: t('Beacons'), icon: 'beacon', permission: 'beacons.read', byVenue: true },
      { to: '/apps/$appId/devices', label: t('Devices'), icon: 'device', permission: 'devices.read' },
    ],
  },
  {
    title: t('People'),
    icon: 'user',
    sections: [
      { to: '/apps/$appId/installations', label: t('Installations'), icon: 'phone', permission: 'installations.read' },
      { to: '/apps/$appId/users', label: t('Users'), icon: 'user', permission: 'users.read', also: '/sign-in' },
    ],
  },
  {
    title: t('Content'),
    icon: 'bucket',
    sections: [
      { to: '/apps/$appId/buckets', label: t('Data'), icon: 'bucket', permission: 'buckets.read' },
      { to: '/apps/$appId/files', label: t('Files'), icon: 'file', permission: 'files.read' },
    ],
  },
  {
    title: t('Settings'),
    icon: 'settings',
    sections: [
      { to: '/apps/$appId/settings', label: t('General'), icon: 'settings', permission: 'apps.read' },
      { to: '/apps/$appId/api', label: t('API'), icon: 'code', permission: 'apps.read' },
      { to: '/apps/$appId/keys', label: t('Keys'), icon: 'key', permission: 'keys.read' },
      { to: '/apps/$appId/senders', label: t('Senders'), icon: 'antenna', permission: 'senders.read' },
      { to: '/apps/$appId/webhooks', label: t('Webhooks'), icon: 'link', permission: 'webhooks.read' },
      { to: '/apps/$appId/rules', label: t('Rules'), icon: 'shield', permission: 'apps.read' },
      { to: '/apps/$appId/policy', label: t('Policy'), icon: 'rules', permission: 'apps.read' },
      { to: '/apps/$appId/privacy', label: t('Privacy'), icon: 'file', permission: 'apps.read' },
    ],
  },
] as const satisfies readonly AppSectionGroup[];

/** All sections in this order. An app opens with the first one that the role may see. */
export const appSections: readonly AppSection[] = appSectionGroups.flatMap(({ sections }) => [...sections]);
