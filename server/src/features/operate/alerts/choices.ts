import { type AdminRole, isAllowed } from '../../../access/roles.ts';
import { type ConditionKind, conditionKinds } from '../../condition.ts';

export const digests = ['off', 'daily', 'weekly'] as const;
export type Digest = (typeof digests)[number];

const kindNames = Object.keys(conditionKinds) as ConditionKind[];

const isOfMessages = (kind: ConditionKind) => kind === 'failures' || kind === 'unreachable' || kind === 'approval';

/** Editors, authors and installers are notified of what they have to act on; owners and managers of everything that they may see. */
const defaults: Readonly<Record<AdminRole, (kind: ConditionKind) => boolean>> = {
  owner: () => true,
  manager: () => true,
  editor: isOfMessages,
  author: isOfMessages,
  installer: (kind) => kind === 'silent' || kind === 'battery' || kind === 'misplaced',
  analyst: () => false,
  reader: () => false,
};

/** Kinds that cannot wait until somebody reads mails, and may also be sent as a push. */
export const urgentKinds = ['crowded'] as const satisfies readonly ConditionKind[];
export type UrgentKind = (typeof urgentKinds)[number];

export const isUrgent = (kind: ConditionKind): kind is UrgentKind => (urgentKinds as readonly string[]).includes(kind);

/** The name under which the choice of a push for a kind is stored. */
export const phoneChoice = (kind: UrgentKind): string => `phone.${kind}`;

/** Whether an administrator has chosen a push for it; off by default. */
export const isWantedOnPhone = (role: AdminRole, kind: UrgentKind, chosen: ReadonlyMap<string, string>): boolean =>
  isAllowed(role, conditionKinds[kind].permission) && chosen.get(phoneChoice(kind)) === 'on';

export const kindsOf = (role: AdminRole): readonly ConditionKind[] =>
  kindNames.filter((kind) => isAllowed(role, conditionKinds[kind].permission));

/** Whether an administrator is notified of a kind: as they have chosen, or as is usual for the role. */
export function isWanted(role: AdminRole, kind: ConditionKind, chosen: ReadonlyMap<string, string>): boolean {
  if (!isAllowed(role, conditionKinds[kind].permission)) return false;
  const choice = chosen.get(kind);
  return choice === undefined ? defaults[role](kind) : choice === 'on';
}

export function digestOf(chosen: ReadonlyMap<string, string>): Digest {
  const choice = chosen.get('digest') as Digest | undefined;
  return choice !== undefined && digests.includes(choice) ? choice : 'off';
}
