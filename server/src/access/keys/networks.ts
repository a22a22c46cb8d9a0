import { BlockList, isIP } from 'node:net';
import { fail, type Problem } from '../../base/errors.ts';

const maxNetworks = 50;

type Family = 'ipv4' | 'ipv6';
const familyOf = (address: string): Family => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

interface Subnet {
  readonly address: string;
  readonly prefix: number;
}

/** `192.0.2.0/24`, `2001:db8::/32`, or a single address. */
function parseNetwork(text: string): Subnet | undefined {
  const [address = '', prefix, ...more] = text.split('/');
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  if (version === 0 || more.length > 0 || address.includes('%')) return undefined;
  if (prefix === undefined) return { address, prefix: most };
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= most ? { address, prefix: Number(prefix) } : undefined;
}

/** @throws Failure ValidationError that names each that is wrong */
export function readNetworks(given: readonly string[]): readonly string[] {
  const networks = [...new Set(given.map((text) => text.trim()))];
  const problem = 'must be a network such as 192.0.2.0/24 or 2001:db8::/32, or an address';
  const details: Problem[] = networks.flatMap((text, index) =>
    parseNetwork(text) ? [] : [{ field: `networks.${index}`, problem }],
  );
  if (networks.length > maxNetworks)
    details.push({ field: 'networks', problem: `must have at most ${maxNetworks} elements` });
  const [first] = details;
  if (first) throw fail('ValidationError', { message: `${first.field} ${first.problem}.`, details });
  return networks;
}

/** The networks from which a key may be used; undefined where there are none, which means all. */
export function compileNetworks(networks: readonly string[]): BlockList | undefined {
  if (networks.length === 0) return undefined;
  const list = new BlockList();
  for (const { address, prefix } of networks.flatMap((text) => parseNetwork(text) ?? []))
    list.addSubnet(address, prefix, familyOf(address));
  return list;
}

/** @param address of a client; an IPv4 address may come in the form of IPv6, and one of a link with its zone */
export function isWithin(networks: BlockList, address: string): boolean {
  const [bare = ''] = address.split('%');
  return isIP(bare) !== 0 && networks.check(bare, familyOf(bare));
}
