import { isWebAddress } from '../../base/web-address.ts';
import { isPublicHost } from '../../delivery/provider/public-address.ts';
import type { TargetRules } from '../../delivery/provider/target-rules.ts';

/** Why an address that somebody has entered for an issuer cannot be used, as the end of a sentence. */
export async function addressProblem(
  targets: TargetRules,
  field: string,
  address: string,
): Promise<string | undefined> {
  if (!isWebAddress(address)) return 'must be an address that begins with https://';
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    return 'must not hold a user name or a part after #';
  if (field === 'issuer' && url.search !== '') return 'must not have a query';
  const refusal = await targets.refusal(url.hostname);
  if (refusal !== undefined)
    return `cannot be used: ${refusal}. The operator can allow hosts of their own network with PHAROS_PRIVATE_TARGETS`;
  return url.protocol === 'https:' || !isPublicHost(url.hostname) ? undefined : 'must begin with https://';
}
