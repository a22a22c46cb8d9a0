import { isDeepStrictEqual } from 'node:util';
import { isSecretOf } from '../../../access/access.ts';
import { readConsents } from '../../../access/consent.ts';
import { decideConsents } from './consents.ts';
import { deciderOf, type RegistrationCaller } from './hand-over.ts';
import { installations, type Registration } from './resource.ts';
import type { InstallationRow } from './store.ts';

const dayMs = 86_400_000;

/**
 * Whether a registration is the one that made the installation, sent again: within a day, as with an `Idempotency-Key`, and as long as
 * nothing has changed. All of it is compared. If a part were enough, or at any time, whoever may not read installations would
 * learn by trying what is stored of them.
 */
export function isRepeated(
  row: InstallationRow,
  sent: Registration,
  { by, now }: { readonly by: RegistrationCaller; readonly now: number },
): boolean {
  const { deviceToken, previousDeviceToken: _proof, consents, ...members } = sent;
  const { secret } = by.proof;
  if (row.updated_at !== row.created_at || now - row.created_at >= dayMs || row.unproven !== 0) return false;
  if (row.device_token !== (deviceToken ?? null)) return false;
  if (row.secret_hash !== null && !(secret !== undefined && isSecretOf(row.secret_hash, secret))) return false;
  const { channels = [], metadata = {} } = members;
  const {
    objectId: _id,
    consents: _decided,
    tokenAt: _token,
    createdAt: _made,
    updatedAt: _changed,
    ...stored
  } = installations.records.decode(row);
  if (!isDeepStrictEqual(present(stored), present({ ...members, channels: [...new Set(channels)], metadata })))
    return false;
  const isDecidedAlike = decideConsents(row.consents, { sent: consents, now, by: deciderOf(by) }).changed.length === 0;
  return isDecidedAlike && Object.keys(readConsents(row.consents)).every((purpose) => purpose in (consents ?? {}));
}

const present = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
