import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Keeps requests to addresses that somebody else has chosen (webhooks, Web Push endpoints) out of the operator's own
 * network. A name is judged by what it resolves to at the moment of connecting, so that a name that resolves
 * differently the second time gains nothing. Connect with `publicLookup`, and check the host with `isPublicHost` first,
 * because Node does not look up a host that is already an address. Follow no redirects.
 */

/** IANA's special-purpose IPv4 addresses that are not globally reachable (RFC 6890 and its registry). */
const ipv4Ranges: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers' NAT; Alibaba's metadata service
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's own service inside every virtual machine
  ['169.254.0.0', 16], // link-local; the metadata services of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata service
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Within 2000::/3; everything outside is not global: loopback, unique local, link-local, site-local, multicast. */
const ipv6Ranges: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which carries any IPv4 address
  ['3fff::', 20], // documentation
];

/** IPv6 prefixes whose last 32 bits are an IPv4 address, which then decides: mapped (RFC 4291) and NAT64 (RFC 6052). */
const ipv4Carriers = ['::ffff:', '64:ff9b::'] as const;

const refused = new BlockList();
const global = new BlockList();
for (const [network, prefix] of ipv4Ranges) {
  refused.addSubnet(network, prefix, 'ipv4');
  for (const carrier of ipv4Carriers) refused.addSubnet(`${carrier}${network}`, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of ipv6Ranges) refused.addSubnet(network, prefix, 'ipv6');
global.addSubnet('0.0.0.0', 0, 'ipv4');
global.addSubnet('2000::', 3, 'ipv6');
for (const carrier of ipv4Carriers) global.addSubnet(`${carrier}0.0.0.0`, 96, 'ipv6');

/** True for an IPv4 or IPv6 address of the public internet. False for any other text. */
export function isPublicAddress(ip: string): boolean {
  const version = isIP(ip);
  // A zone (`fe80::1%eth0`) occurs only with addresses that stay on one link.
  if (version === 0 || ip.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return global.check(ip, family) && !refused.check(ip, family);
}

/** Special-use names (RFC 6761, RFC 6762 with appendix G, RFC 7686, RFC 8375), which are not in the public DNS. */
const privateNames = /\.(localhost|local|internal|intranet|private|corp|home|lan|invalid|onion|home\.arpa)$/;

/**
 * What can be said about a URL's `hostname` (or a bare host) without asking DNS: false for addresses that are not
 * public and for names that mean this machine or its network. True for other names; `publicLookup` judges them.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '')
    .toLowerCase();
  if (isIP(host)) return isPublicAddress(host);
  return host.includes('.') && !privateNames.test(host);
}

/** A host that resolves to an address outside the public internet. */
class AddressNotPublic extends Error {
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';

  constructor(hostname: string) {
    super(`${hostname} is not on the public internet`);
    this.name = 'AddressNotPublic';
  }
}

/**
 * `lookup` for `net.connect`, `tls.connect`, `http(s).request` and their agents: fails with {@link AddressNotPublic}
 * when any address of the name is not public.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) return callback(error, '');
    if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(new AddressNotPublic(hostname), '');
    }
    if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
