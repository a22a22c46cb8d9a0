import type { Reach } from '../../../access/reach.ts';
import { standingIn } from '../../../access/reach.ts';
import { type AdminRole, isAllowed } from '../../../access/roles.ts';

/** Who may see which figures. */

export interface Admin {
  readonly adminId: string;
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  readonly apps: Reach;
  readonly isDisabled: boolean;
  /** Of mails; null or absent: English. */
  readonly language?: string | null;
}

interface About {
  readonly appId: string;
  /** Null: the whole app. */
  readonly venueId: string | null;
}

export interface Sight {
  /** The venues to which the figures are limited for this person; undefined: none. */
  readonly venues: readonly string[] | undefined;
}

/**
 * What an administrator may see of what a report is about, as the console would show it now; undefined: nothing. A report about
 * the whole app is not for those who are limited to venues of it.
 */
export function sightOf(
  admin: Admin | undefined,
  { appId, venueId }: About,
  permission: 'numbers.read' | 'reports.write' = 'numbers.read',
): Sight | undefined {
  const standing = admin && !admin.isDisabled ? standingIn(admin, appId) : undefined;
  if (!standing || !isAllowed(standing.role, 'numbers.read') || !isAllowed(standing.role, permission)) return undefined;
  const { venues } = standing;
  if (venues !== undefined && (venueId === null || !venues.includes(venueId))) return undefined;
  return { venues };
}
