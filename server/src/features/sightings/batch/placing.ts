import { type Subject, tagKey } from '@pharos/engine';
import type { Db } from '../../../db/db.ts';
import { type SiteReads, storedSite } from '../site/site-cache.ts';
import type { SiteBeacon } from '../site/site-store.ts';
import * as store from '../site/site-store.ts';
import type { Item, ItemProblem } from './batch.ts';

/** An observation with its installation and beacon. */
export interface Placed {
  readonly item: Item;
  /** As the sender named it, or ours where a gateway has heard a tag. */
  readonly installationId: string;
  readonly beacon: SiteBeacon;
}

export interface Placing {
  readonly placed: readonly Placed[];
  readonly problems: readonly ItemProblem[];
}

/** Finds the beacon of each report, and for those of a gateway the installation. `installationId` is the sender's. */
export async function placeItems(
  { db, site = storedSite }: { readonly db: Db; readonly site?: SiteReads },
  appId: string,
  items: readonly Item[],
  installationId: string | undefined,
): Promise<Placing> {
  const found = await lookUp({ db, site }, appId, items);
  const placed: Placed[] = [];
  const problems: ItemProblem[] = [];
  for (const item of items) {
    const place = placeOf(item, found, installationId);
    if ('code' in place) problems.push({ index: item.index, ...place });
    else placed.push({ item, ...place });
  }
  return { placed, problems: [...problems, ...sharedAddresses(items, found)] };
}

/** Reports once per batch each address that several beacons have: the oldest counts, which may not be what was meant. */
function sharedAddresses(items: readonly Item[], { shared }: Found): ItemProblem[] {
  if (shared.size === 0) return [];
  const told = new Set<string>();
  return items.flatMap(({ index, subject }) => {
    const key = subject.direction === 'phone' && subject.address ? addressText(subject.address) : '';
    const [first, second] = shared.get(key) ?? [];
    if (!first || !second || told.has(key)) return [];
    told.add(key);
    const message = `The beacons ${first.objectId} and ${second.objectId} have the same uuid, major and minor. Sightings count for ${first.objectId}, the older one: give one of them other numbers, or delete it.`;
    return [{ index, code: 'shared_address', field: 'uuid', message }];
  });
}

interface Found {
  /** Addresses that several beacons have, with these, oldest first. */
  readonly shared: ReadonlyMap<string, readonly SiteBeacon[]>;
  readonly byId: ReadonlyMap<string, SiteBeacon>;
  readonly byAddress: ReadonlyMap<string, SiteBeacon>;
  readonly byRegion: ReadonlyMap<string, readonly SiteBeacon[]>;
  readonly byGateway: ReadonlyMap<string, SiteBeacon>;
  readonly byTag: ReadonlyMap<string, string>;
}

const addressText = ({ uuid, major, minor }: store.AddressParts) => `${uuid}:${major}:${minor}`;
const regionText = ({ uuid, major }: { readonly uuid: string; readonly major: number }) => `${uuid}:${major}`;

function distinct<T>(values: readonly T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}

/** The first of several, which is the oldest. */
function firstBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T> {
  return new Map([...values].reverse().map((value) => [key(value), value]));
}

async function lookUp(
  { db, site }: { readonly db: Db; readonly site: SiteReads },
  appId: string,
  items: readonly Item[],
): Promise<Found> {
  const phones = items.flatMap(({ subject }) => (subject.direction === 'phone' ? [subject] : []));
  const gateways = items.flatMap(({ subject }) => (subject.direction === 'gateway' ? [subject] : []));
  const ids = distinct(
    phones.flatMap(({ beaconId }) => beaconId ?? []),
    String,
  );
  const addresses = distinct(
    phones.flatMap(({ address }) => address ?? []),
    addressText,
  );
  const regions = distinct(
    addresses.filter(({ region }) => region === true),
    regionText,
  );
  const names = distinct(
    gateways.map(({ gateway }) => gateway),
    String,
  );
  const tags = distinct(gateways.flatMap(tagsOf), String);
  const [byId, byAddress, byRegion, byGateway, byTag] = await Promise.all([
    site.beaconsById(db, appId, ids),
    site.beaconsByAddress(db, appId, addresses),
    Promise.all(
      regions.map(
        async ({ uuid, major }) =>
          [regionText({ uuid, major }), await store.findBeaconsInRegion(db, appId, uuid, major)] as const,
      ),
    ),
    store.findBeaconsByGateway(db, appId, names),
    store.findInstallationsByTag(db, appId, tags),
  ]);
  const addressOf = ({ uuidKey, major, minor }: SiteBeacon) => addressText({ uuid: uuidKey, major, minor });
  const beacons = distinct(byAddress, ({ objectId }) => objectId);
  return {
    byId: firstBy(byId, ({ objectId }) => objectId),
    byAddress: firstBy(beacons, addressOf),
    shared: new Map([...Map.groupBy(beacons, addressOf)].filter(([, all]) => all.length > 1)),
    byRegion: new Map(byRegion),
    byGateway: firstBy(byGateway, ({ gatewayKey }) => gatewayKey ?? ''),
    byTag: new Map([...byTag].reverse().map((row) => [row.advertised_key, row.object_id])),
  };
}

type GatewaySubject = Extract<Subject, { readonly direction: 'gateway' }>;
type PhoneSubject = Extract<Subject, { readonly direction: 'phone' }>;
type Refused = Omit<ItemProblem, 'index'>;

/** What the tag is called: its iBeacon address before its MAC address or name. */
const tagsOf = ({ address, tag }: GatewaySubject): string[] => [
  ...(address ? [addressText(address)] : []),
  tagKey(tag),
];

function placeOf({ subject }: Item, found: Found, installationId: string | undefined): Omit<Placed, 'item'> | Refused {
  if (subject.direction === 'gateway') return placeOfTag(subject, found);
  if (installationId === undefined) {
    return {
      code: 'no_installation',
      field: 'installationId',
      message: 'A phone that hears a beacon says who it is: send installationId with the batch.',
    };
  }
  const beacon = findBeacon(subject, found);
  return 'code' in beacon ? beacon : { installationId, beacon };
}

function placeOfTag(subject: GatewaySubject, found: Found): Omit<Placed, 'item'> | Refused {
  const beacon = found.byGateway.get(subject.gateway);
  if (!beacon) {
    return {
      code: 'unknown_gateway',
      field: 'gateway',
      message: `No beacon stands for the gateway ${subject.gateway}: set metadata.gatewayId of the beacon where it is installed.`,
    };
  }
  const installationId = tagsOf(subject)
    .map((key) => found.byTag.get(key))
    .find((id) => id !== undefined);
  if (installationId === undefined) {
    return {
      code: 'unknown_tag',
      field: 'tag',
      message: `No installation stands for the tag ${subject.tag}: set metadata.advertisedId of the installation.`,
    };
  }
  return { installationId, beacon };
}

function findBeacon({ beaconId, address }: PhoneSubject, found: Found): SiteBeacon | Refused {
  if (beaconId !== undefined) {
    const beacon = found.byId.get(beaconId);
    return (
      beacon ?? { code: 'unknown_beacon', field: 'beacon', message: `There is no beacon ${beaconId} in this app.` }
    );
  }
  const beacon = address && found.byAddress.get(addressText(address));
  if (beacon) return beacon;
  if (address?.region === true) {
    const [first, second] = found.byRegion.get(regionText(address)) ?? [];
    if (first && !second) return first;
    if (first) {
      const message = `Several beacons have the uuid ${address.uuid}: send the major and minor of the one that was met.`;
      return { code: 'ambiguous_beacon', field: 'minor', message };
    }
  }
  const name = address ? `with uuid ${address.uuid}, major ${address.major} and minor ${address.minor}` : 'like this';
  return {
    code: 'unknown_beacon',
    field: 'uuid',
    message: `There is no beacon ${name} in this app. Add it with POST /beacons.`,
  };
}
