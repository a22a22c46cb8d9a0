import { receiverName } from '@pharos/engine';
import type { Heard, Identity } from '@pharos/gateways';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';

/** A tag that nobody knows, as one gateway has heard it. */
export interface Stranger {
  /** What `metadata.advertisedId` would be. */
  readonly tag: string;
  readonly identity?: Identity;
  /** Its address, if that stays the same. */
  readonly address?: string;
  readonly name?: string;
  readonly battery?: number;
  /** dBm, smoothed. */
  readonly rssi: number;
  /** When it was heard last, by the service's clock, ms. */
  readonly at: number;
}

/** Unknown tags by gateway. */
export type StrangersOfApp = ReadonlyMap<string, readonly Stranger[]>;

/** Tags of one gateway that are remembered, those with the strongest signal. */
export const maxOfGateway = 100;
/** Gateways of an app that are remembered: whoever reports for gateways may name any. */
const maxGateways = 500;
const maxAddresses = 20_000;
export const maxText = 200;
/** The weight of a new measurement. */
const smoothing = 0.3;

/**
 * What gateways hear and nobody knows, since it was last taken from here to be stored. Random addresses that change are not remembered,
 * so that of strangers' phones nothing is; neither is any flood, as each gateway has its own room.
 */
export class HeardNearby {
  readonly #now: () => number;
  #apps = new Map<string, Map<string, Map<string, Stranger>>>();
  /** The identity last heard from an address, for frames that name none. */
  readonly #namedBy = new BoundedMap<string, Identity>(maxAddresses);

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param isStranger nobody in the app knows it */
  note(appId: string, gateway: string, one: Heard, isStranger: boolean): void {
    const address = hasLastingAddress(one) ? one.address : undefined;
    const own = one.identity && (isTelling(one.identity) || address !== undefined) ? one.identity : undefined;
    if (address !== undefined && own !== undefined) this.#namedBy.set(`${appId} ${address}`, own);
    if (!isStranger) return;
    const identity = own ?? (address === undefined ? undefined : this.#namedBy.get(`${appId} ${address}`));
    const tag = identity ? tagOf(identity) : address;
    const strangers =
      tag === undefined || tag.length > maxText ? undefined : this.#roomOf(appId, receiverName(gateway));
    if (!tag || !strangers) return;
    const before = strangers.get(tag);
    if (address !== undefined && address !== tag) strangers.delete(address);
    if (!before && !hasRoom(strangers, one.rssi)) return;
    const battery = one.telemetry?.battery ?? before?.battery;
    const name = one.name?.slice(0, maxText) ?? before?.name;
    strangers.set(tag, {
      ...{ tag, at: this.#now(), rssi: before ? before.rssi + smoothing * (one.rssi - before.rssi) : one.rssi },
      ...(identity === undefined ? {} : { identity }),
      ...(address === undefined ? {} : { address }),
      ...(name === undefined ? {} : { name }),
      ...(battery === undefined ? {} : { battery }),
    });
  }

  #roomOf(appId: string, gateway: string): Map<string, Stranger> | undefined {
    const ofApp = this.#apps.get(appId) ?? new Map<string, Map<string, Stranger>>();
    const known = ofApp.get(gateway);
    if (known) return known;
    if (ofApp.size >= maxGateways || gateway.length > maxText) return undefined;
    const fresh = new Map<string, Stranger>();
    this.#apps.set(appId, ofApp.set(gateway, fresh));
    return fresh;
  }

  /** Takes what was heard since the last time: of one app, or of all. */
  take(appId?: string): ReadonlyMap<string, StrangersOfApp> {
    const taken = new Map([...this.#apps].filter(([id]) => appId === undefined || id === appId));
    for (const id of taken.keys()) this.#apps.delete(id);
    return new Map(
      [...taken].map(([id, ofApp]) => [
        id,
        new Map([...ofApp].map(([gateway, strangers]) => [gateway, [...strangers.values()]])),
      ]),
    );
  }
}

/** Whether there is room, after a stronger tag has replaced the weakest. */
function hasRoom(strangers: Map<string, Stranger>, rssi: number): boolean {
  if (strangers.size < maxOfGateway) return true;
  const weakest = [...strangers.values()].reduce((least, one) => (one.rssi < least.rssi ? one : least));
  return weakest.rssi < rssi && strangers.delete(weakest.tag);
}

/**
 * Its address stays the same: it is public, or random but static (Core Specification, Vol 6, Part B, 1.3). Many gateways do not tell them
 * from addresses that change; of these the two uppermost bits are 00 or 01, and phones that have them send no sensor's values.
 */
function hasLastingAddress({ address, addressKind, telemetry }: Heard): boolean {
  if (address === undefined || addressKind === 'resolvable' || addressKind === 'nonResolvable') return false;
  return addressKind !== undefined || telemetry !== undefined || Number.parseInt(address.slice(0, 2), 16) >= 0x80;
}

/** Whether it identifies the sender, whatever its address is. */
const isTelling = ({ kind }: Identity): boolean => kind !== 'named' && kind !== 'url';

function tagOf(identity: Identity): string {
  if (identity.kind !== 'ibeacon' && identity.kind !== 'altbeacon') return identity.id;
  return `iBeacon:${writtenUuid(identity.uuid)}-${identity.major}-${identity.minor}`;
}

/** 32 hexadecimal digits as people write them. */
export const writtenUuid = (uuid: string): string =>
  uuid.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
