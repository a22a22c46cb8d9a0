import type { IconName } from '../components/page/icon.tsx';
import type { Permission } from '../lib/data/access.ts';

export interface AppSection {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The section is hidden from roles without it. */
  readonly permission: Permission;
}

export interface AppSectionGroup {
  readonly title: string;
  readonly sections: readonly AppSection[];
}

/** The sections of an app, in the order of the navigation. A group without visible sections is hidden. */
export const appSectionGroups = [
  {
    title: 'Today',
    sections: [
      { to: '/apps/$appId/home', label: 'Home', icon: 'home', permission: 'activity.read' },
      { to: '/apps/$appId/activity', label: 'Activity', icon: 'activity', permission: 'activity.read' },
    ],
  },
  {
    title: 'Messages',
    sections: [
      { to: '/apps/$appId/notifications', label: 'Notifications', icon: 'bell', permission: 'content.read' },
      { to: '/apps/$appId/storylines', label: 'Storylines', icon: 'story', permission: 'content.read' },
      { to: '/apps/$appId/push', label: 'Push', icon: 'megaphone', permission: 'activity.read' },
    ],
  },
  {
    title: 'Venue',
    sections: [
      { to: '/apps/$appId/beacons', label: 'Beacons', icon: 'beacon', permission: 'beacons.read' },
      { to: '/apps/$appId/devices', label: 'Devices', icon: 'device', permission: 'devices.read' },
    ],
  },
  {
    title: 'People',
    sections: [
      { to: '/apps/$appId/installations', label: 'Installations', icon: 'phone', permission: 'installations.read' },
      { to: '/apps/$appId/users', label: 'Users', icon: 'user', permission: 'users.read' },
    ],
  },
  {
    title: 'Content',
    sections: [
      { to: '/apps/$appId/buckets', label: 'Data', icon: 'bucket', permission: 'buckets.read' },
      { to: '/apps/$appId/files', label: 'Files', icon: 'file', permission: 'files.read' },
    ],
  },
  {
    title: 'App',
    sections: [
      { to: '/apps/$appId/api', label: 'API', icon: 'code', permission: 'apps.read' },
      { to: '/apps/$appId/keys', label: 'Keys', icon: 'key', permission: 'keys.read' },
      { to: '/apps/$appId/senders', label: 'Senders', icon: 'antenna', permission: 'senders.read' },
      { to: '/apps/$appId/webhooks', label: 'Webhooks', icon: 'link', permission: 'webhooks.read' },
      { to: '/apps/$appId/rules', label: 'Rules', icon: 'shield', permission: 'apps.read' },
      { to: '/apps/$appId/policy', label: 'Policy', icon: 'rules', permission: 'apps.read' },
      { to: '/apps/$appId/privacy', label: 'Privacy', icon: 'file', permission: 'apps.read' },
      { to: '/apps/$appId/settings', label: 'Settings', icon: 'settings', permission: 'apps.read' },
    ],
  },
] as const satisfies readonly AppSectionGroup[];

/** All sections in this order. An app opens with the first one that the role may see. */
export const appSections = appSectionGroups.flatMap(({ sections }) => [...sections]);
