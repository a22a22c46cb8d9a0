import { permissionsOf } from '../../../access/consent.ts';
import type { InstallationProof } from '../../../access/installation-proof.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import type { Changes } from '../../../http/shape.ts';
import { type ConsentChange, type ConsentPolicy, type DecidedBy, decideConsents } from './consents.ts';
import { type Linking, nextOwnership, type Ownership, type Registrant } from './ownership.ts';
import type { Installation, Registration } from './resource.ts';
import type { InstallationRow } from './store.ts';

/** Who asks, in which app. */
export interface RegistrationCaller extends Registrant {
  readonly policy: ConsentPolicy & Pick<AppPolicy, 'installationProof'>;
  readonly proof: InstallationProof;
}

export interface OwnerChange {
  readonly linking: RegistrationCaller & Linking;
  readonly ownership: Ownership | undefined;
  readonly consents: ConsentChange;
}

/** Whose it is after a registration, and what its holder has agreed to: a new one is not bound by what the last one said. */
export function handOver(
  row: InstallationRow | undefined,
  sent: Registration,
  by: RegistrationCaller,
  now: number,
): OwnerChange {
  const deciding = { sent: sent.consents, now, by: deciderOf(by) };
  const handedOver = (how: { isHandedOver: boolean; isUnproven: boolean }): OwnerChange => {
    const isDoubtful = how.isUnproven || (row !== undefined && row.unproven !== 0);
    const consents = decideConsents(row?.consents ?? null, { ...deciding, ...how, isDoubtful });
    const linking = { ...by, mayLink: permissionsOf(consents.stored, by.policy).identity };
    return { linking, consents, ownership: row && nextOwnership(row, sent, linking, now) };
  };
  const same = handedOver({ isHandedOver: false, isUnproven: false });
  if (!same.ownership) return same;
  const how = {
    isHandedOver: 'consents' in same.ownership.reset,
    isUnproven: same.ownership.columns['unproven'] !== 0,
  };
  return how.isHandedOver || how.isUnproven ? handedOver(how) : same;
}

export const deciderOf = ({ isManager, userId }: Registrant): DecidedBy =>
  isManager ? 'manager' : userId === undefined ? 'phone' : 'user';

/** Null where they are cleared. */
export const sentConsents = ({ set, cleared }: Changes<Installation>) =>
  cleared.includes('consents') ? null : set.consents;
