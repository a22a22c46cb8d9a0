import { useQuery } from '@tanstack/react-query';
import { dataNeeds, mayDo, type Session } from '../wire.ts';
import { sessionQuery } from './queries.ts';

export type Role = Session['role'];
export type Permission = keyof typeof mayDo;

export function isAllowed(role: Role, permission: Permission): boolean {
  return (mayDo[permission] as readonly Role[]).includes(role);
}

/** The signed-in administrator. Only for pages behind sign-in. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('No administrator is signed in.');
  return data;
}

/** Whether the signed-in administrator may do it. The service decides; the console only hides what it would refuse. */
export function useMay(): (permission: Permission) => boolean {
  const { data } = useQuery(sessionQuery);
  return (permission) => data != null && isAllowed(data.role, permission);
}

/** Whether the signed-in administrator may call an operation of an app's data, such as `createBeacon`. */
export function useMayCall(): (operation: keyof typeof dataNeeds) => boolean {
  const may = useMay();
  return (operation) => may(dataNeeds[operation]);
}

export const roleTexts: Readonly<Record<Role, { readonly label: string; readonly sentence: string }>> = {
  owner: { label: 'Owner', sentence: 'May do everything, and manages the other administrators.' },
  manager: { label: 'Manager', sentence: 'Creates and changes apps, keys and buckets.' },
  editor: { label: 'Editor', sentence: 'Manages messages, storylines, files and records, and sends pushes.' },
  installer: { label: 'Installer', sentence: 'Places, calibrates and tests beacons and devices.' },
  analyst: { label: 'Analyst', sentence: 'Reads activity, without personal data.' },
};

export const roleOptions = Object.entries(roleTexts).map(([value, { label }]) => ({ value, label }));
