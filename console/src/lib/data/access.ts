import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { dataByVenue, dataNeeds, mayDo, type Session } from '../wire.ts';
import { t } from '../words/words.ts';
import { type DeletedKind, type KeptKind, restoreFromTrash, restoreOfVenue } from './history.ts';
import { sessionQuery } from './queries.ts';

export type Role = Session['role'];
export type Permission = keyof typeof mayDo;
export type Operation = keyof typeof dataNeeds;

export function isAllowed(role: Role, permission: Permission): boolean {
  return (mayDo[permission] as readonly Role[]).includes(role);
}

/** The signed-in administrator. Only for pages behind sign-in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('No administrator is signed in.');
  return data;
}

/** The app of the page. Only for pages of an app. */
export const useAppId = () => useParams({ from: '/signed-in/apps/$appId' }).appId;

/** What somebody may do on a page: the service decides, and the console only hides what it would refuse. */
export interface Standing {
  /** The role in the app of the page; outside apps, the highest role. */
  readonly role: Role;
  /** The venues of this app to which she is limited; undefined: all of it. */
  readonly venues: readonly string[] | undefined;
  may(permission: Permission): boolean;
  /** Whether she may call an operation of the app's data, such as `createBeacon`. */
  mayCall(operation: Operation): boolean;
}

/** The permissions of operations that are divided by venue, and those that every page needs. Reports belong to venues, phones to oneself. */
const byVenue: ReadonlySet<Permission> = new Set<Permission>([
  'session.own',
  'apps.read',
  'phones.pair',
  'reports.read',
  'reports.write',
  ...dataByVenue.map((operation) => dataNeeds[operation]),
]);
/** Operations by venue. Creating a venue is not among them: a new venue is outside anybody's limits. */
const operationsByVenue: ReadonlySet<string> = new Set(dataByVenue.filter((operation) => operation !== 'createVenue'));
/** What is restricted to an administrator's apps although it concerns more than one. */
const ofSomeApps: ReadonlySet<Permission> = new Set<Permission>(['session.own', 'apps.read', 'audit.read']);

const nothing: Pick<Standing, 'may' | 'mayCall'> = { may: () => false, mayCall: () => false };

export function standingOf({ role, apps }: Session, appId: string | undefined): Standing {
  if (apps === null || appId === undefined) {
    const roles = apps === null ? [role] : [role, ...apps.map((grant) => grant.role ?? role)];
    const may = (permission: Permission) =>
      (apps === null || ofSomeApps.has(permission)) && roles.some((one) => isAllowed(one, permission));
    return { role, venues: undefined, may, mayCall: (operation) => may(dataNeeds[operation]) };
  }
  const grant = apps.find((one) => one.appId === appId);
  if (!grant) return { role, venues: undefined, ...nothing };
  const { role: own = role, venues } = grant;
  const may = (permission: Permission) =>
    isAllowed(own, permission) && (venues === undefined || byVenue.has(permission));
  const mayCall = (operation: Operation) =>
    may(dataNeeds[operation]) && (venues === undefined || operationsByVenue.has(operation));
  return { role: own, venues, may, mayCall };
}

/** What the signed-in administrator may do in the app of the page, or outside of apps. */
export function useStanding(): Standing | undefined {
  const { data } = useQuery(sessionQuery);
  const { appId } = useParams({ strict: false });
  return data ? standingOf(data, appId) : undefined;
}

/** Whether the signed-in administrator has a permission on this page. */
export function useMay(): (permission: Permission) => boolean {
  const standing = useStanding();
  return (permission) => standing?.may(permission) ?? false;
}

/** What belongs to a venue: whoever is limited to it can put it back, although the trash itself is shown for the app as a whole only. */
const ofVenues: ReadonlySet<string> = new Set(['beacons', 'messages', 'notifications', 'zones']);

/** Whether what the signed-in administrator deletes can be put back by her. */
export function useMayPutBack(kind: string): boolean {
  return useStanding()?.venues === undefined || ofVenues.has(kind);
}

/** Puts back what was just deleted; undefined: the signed-in administrator may not. */
export function usePutBack(
  appId: string,
  kind: KeptKind | DeletedKind,
): ((recordId: string) => Promise<void>) | undefined {
  const mayPutBack = useMayPutBack(kind);
  const isLimited = useStanding()?.venues !== undefined;
  if (!mayPutBack) return undefined;
  return (recordId) => (isLimited ? restoreOfVenue : restoreFromTrash)(appId, kind, recordId);
}

/** Whether the signed-in administrator may call an operation of this app's data. */
export function useMayCall(): (operation: Operation) => boolean {
  const standing = useStanding();
  return (operation) => standing?.mayCall(operation) ?? false;
}

export const roleTexts: Readonly<Record<Role, { readonly label: string; readonly sentence: string }>> = {
  owner: { label: t('Owner'), sentence: t('May do everything, and manages the other administrators.') },
  manager: { label: t('Manager'), sentence: t('Creates and changes apps, keys and buckets.') },
  editor: { label: t('Editor'), sentence: t('Manages messages, files and records, and sends pushes.') },
  author: { label: t('Author'), sentence: t('Writes and switches on messages, and sends pushes; nothing else.') },
  installer: { label: t('Installer'), sentence: t('Places, calibrates and tests beacons and devices.') },
  analyst: { label: t('Analyst'), sentence: t('Reads activity, without personal data.') },
  reader: { label: t('Reader'), sentence: t('Reads numbers and reports, never a single visit.') },
};

/** The highest first. */
export const adminRoles = Object.keys(roleTexts) as readonly Role[];
export const roleOptions = Object.entries(roleTexts).map(([value, { label }]) => ({ value, label }));
