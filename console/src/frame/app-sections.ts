import type { IconName } from '../components/page/icon.tsx';
import type { Permission, Standing } from '../lib/data/access.ts';
import { t } from '../lib/words/words.ts';

export interface AppSection {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The section is hidden from roles without it. */
  readonly permission: Permission;
  /** Pages that belong to it and have an address of their own, below the app. */
  readonly also?: string;
  /** Its page shows what belongs to venues; the others are hidden from those who are limited to some. */
  readonly byVenue?: true;
}

export interface AppSectionGroup {
  readonly title: string;
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
  ({ may, venues }: Pick<Standing, 'may' | 'venues'>) =>
  ({ permission, byVenue }: AppSection): boolean =>
    may(permission) && (venues === undefined || byVenue === true);

/** The sections of an app, in the order of the navigation. A group without visible sections is hidden. */
export const appSectionGroups = [
  {
    title: t('Today'),
    sections: [
      { to: '/apps/$appId/home', label: t('Home'), icon: 'home', permission: 'activity.read', byVenue: true },
      {
        to: '/apps/$appId/activity',
        label: t('Activity'),
        icon: 'activity',
        permission: 'activity.read',
        byVenue: true,
      },
    ],
  },
  {
    title: t('Messages'),
    sections: [
      {
        to: '/apps/$appId/notifications',
        label: t('Notifications'),
        icon: 'bell',
        permission: 'content.read',
        byVenue: true,
      },
      { to: '/apps/$appId/storylines', label: t('Storylines'), icon: 'story', permission: 'content.read' },
      { to: '/apps/$appId/push', label: t('Push'), icon: 'megaphone', permission: 'activity.read' },
    ],
  },
  {
    title: t('On site'),
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
    sections: [
      { to: '/apps/$appId/installations', label: t('Installations'), icon: 'phone', permission: 'installations.read' },
      { to: '/apps/$appId/users', label: t('Users'), icon: 'user', permission: 'users.read', also: '/sign-in' },
    ],
  },
  {
    title: t('Content'),
    sections: [
      { to: '/apps/$appId/buckets', label: t('Data'), icon: 'bucket', permission: 'buckets.read' },
      { to: '/apps/$appId/files', label: t('Files'), icon: 'file', permission: 'files.read' },
    ],
  },
  {
    title: t('App'),
    sections: [
      { to: '/apps/$appId/api', label: t('API'), icon: 'code', permission: 'apps.read' },
      { to: '/apps/$appId/keys', label: t('Keys'), icon: 'key', permission: 'keys.read' },
      { to: '/apps/$appId/senders', label: t('Senders'), icon: 'antenna', permission: 'senders.read' },
      { to: '/apps/$appId/webhooks', label: t('Webhooks'), icon: 'link', permission: 'webhooks.read' },
      { to: '/apps/$appId/rules', label: t('Rules'), icon: 'shield', permission: 'apps.read' },
      { to: '/apps/$appId/policy', label: t('Policy'), icon: 'rules', permission: 'apps.read' },
      { to: '/apps/$appId/privacy', label: t('Privacy'), icon: 'file', permission: 'apps.read' },
      { to: '/apps/$appId/settings', label: t('Settings'), icon: 'settings', permission: 'apps.read' },
    ],
  },
] as const satisfies readonly AppSectionGroup[];

/** All sections in this order. An app opens with the first one that the role may see. */
export const appSections = appSectionGroups.flatMap(({ sections }) => [...sections]);
