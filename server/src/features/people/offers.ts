import { installations } from './installations/resource.ts';

export { listProviders } from './identities/store.ts';
export {
  countInstallations,
  installationsAfter,
  installationsNamed,
  withdrawnSince,
} from './installations/opt-outs.ts';
export { listPhones } from './installations/pairing/store.ts';
export { findSensingConditions } from './installations/sensing/fleet.ts';
export {
  countAudience,
  countRoutes,
  countTokens,
  deleteInstallation,
  findHolder,
  findInstallationsOf,
  findProvable,
  markTokenDead,
  matchInstallations,
  saveMotions,
  walkInstallations,
} from './installations/store.ts';
export { findMissing } from './second-factors/store.ts';
export { findUserSession, noteTokenHeard, noteTokenUse } from './users/session-store.ts';
export { addressHashes, findUser, userExists, venuesOf, walkUsers } from './users/store.ts';

export const audienceFields = installations.records.lookup;

/** Members of installations that are hidden from some callers. */
export const hiddenOfInstallations = installations.tag.hides;

export const installationTable = installations.table;
