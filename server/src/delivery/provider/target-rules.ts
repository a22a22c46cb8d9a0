import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Where webhooks and connections to brokers may go: to the public internet, and to what the operator has allowed. */
export interface TargetRules {
  /**
   * Why a URL's `hostname` (with or without brackets around IPv6) cannot be a target, as the end of a sentence;
   * undefined if it can. Resolves a name.
   */
  refusal(hostname: string): Promise<string | undefined>;
  /**
   * The same at the moment of connecting, for Node's `lookup` option. Node does not look up an address: use
   * `refusalOfAddress` for those.
   */
  readonly lookup: LookupFunction;
  /** For a host that is an address; undefined for a name too. */
  refusalOfAddress(hostname: string): string | undefined;
}

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export class TargetRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TargetRefused';
  }
}

const resolveByDns: Resolve = (hostname) =>
  new Promise((resolve, reject) =>
    dnsLookup(hostname, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

const bare = (hostname: string) =>
  hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** @param allowed host names, addresses and networks (`10.0.0.0/8`) that are accepted although they are not public */
export function createTargetRules(allowed: readonly string[], resolve: Resolve = resolveByDns): TargetRules {
  const networks = networksOf(allowed);
  const names = new Set(allowed.map(bare));
  const isFine = (ip: string) =>
    isPublicAddress(ip) || (isIP(ip) !== 0 && networks.check(ip, isIP(ip) === 4 ? 'ipv4' : 'ipv6'));

  function refusalOfAddress(hostname: string): string | undefined {
    const host = bare(hostname);
    if (isIP(host.split('%')[0] ?? '') === 0 || isFine(host)) return undefined;
    return `${host} is not an address of the public internet`;
  }

  async function addressesOf(hostname: string): Promise<readonly LookupAddress[]> {
    const found = await resolve(hostname);
    const wrong = names.has(bare(hostname)) ? undefined : found.find(({ address }) => !isFine(address));
    if (wrong) throw new TargetRefused(`${hostname} is at ${wrong.address}, which is not on the public internet`);
    if (found.length === 0) throw new TargetRefused(`${hostname} has no address`);
    return found;
  }

  return {
    refusalOfAddress,
    async refusal(hostname) {
      const host = bare(hostname);
      if (isIP(host) !== 0) return refusalOfAddress(host);
      try {
        await addressesOf(host);
        return undefined;
      } catch (error) {
        if (error instanceof TargetRefused) return error.message;
        return `${host} cannot be found (${(error as NodeJS.ErrnoException).code ?? 'no answer'})`;
      }
    },
    lookup(hostname, options, callback) {
      addressesOf(hostname).then(
        (found) => {
          const [first] = found as [LookupAddress];
          if (options.all) callback(null, [...found]);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, ''),
      );
    },
  };
}

function networksOf(allowed: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of allowed) {
    const [network = '', bits] = entry.split('/');
    const version = isIP(network);
    if (version === 0) continue;
    list.addSubnet(network, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), `ipv${version as 4 | 6}`);
  }
  return list;
}

export function isTargetEntry(entry: string): boolean {
  const [host = '', bits, ...more] = entry.split('/');
  if (more.length > 0) return false;
  const version = isIP(host);
  if (bits === undefined) return version !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host);
  return version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}
