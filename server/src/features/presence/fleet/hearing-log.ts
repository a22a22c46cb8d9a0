import { receiverName } from '@pharos/engine';
import type { GatewayReport, Heard, Telemetry } from '@pharos/gateways';
import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Context } from '../../context.ts';
import { type BeaconDay, dayMs, dayOf, dayWith, joinDays, type Note, noDay } from './days/day.ts';
import { addDays, type DayOfBeacon } from './store.ts';

type HearingDeps = Pick<Context, 'db' | 'now' | 'findBeaconsByAddress' | 'findBeaconsByGateway'>;

/** A beacon that a phone has heard; times are the service's, ms. */
export interface HeardBeacon {
  readonly beaconId: string;
  readonly at: number;
  readonly rssi?: number | undefined;
  readonly txPower?: number | undefined;
  readonly telemetry?: Telemetry | undefined;
}

interface Gathered {
  readonly days: Map<number, BeaconDay>;
  /** The minute that was noted last, by what was noted: of the same minute nothing is new. */
  readonly last: Map<string, number>;
}

/** Tags of an app that are gathered between two flushes, and how many of them one gateway may add. */
const maxTags = 10_000;
const maxOfGateway = 2_000;
/** What is older is not noted: the engine has forgotten it as well. */
const maxAgeMs = 7 * dayMs;
/** Beacons that a phone heard within this time were heard at one place, ms. */
const togetherMs = 5_000;
const minuteMs = 60_000;

/**
 * What phones and gateways hear of beacons. It is gathered in memory, one note of each beacon, receiver and minute, and added to what is
 * stored from time to time. What a process has gathered and not yet written is lost with it; beacons say the same again.
 */
export class HearingLog {
  readonly #deps: HearingDeps;
  /** By app and tag: `b:` and the beacon, `n:` and its numbers, `g:` and the gateway that stands there. */
  #apps = new Map<string, Map<string, Gathered>>();
  #ofGateways = new Map<string, number>();
  /** Frames without numbers come from the address of a frame that had some. */
  readonly #numbersOf = new BoundedMap<string, string>(20_000);

  constructor(deps: HearingDeps) {
    this.#deps = deps;
  }

  /** @param at when the gateway has sent this, by the service's clock */
  noteGateway(appId: string, name: string, { heard, sentAt }: GatewayReport, at: number): void {
    const gateway = `g:${receiverName(name)}`;
    this.#note(appId, gateway, { at, isOn: true }, gateway);
    for (const one of heard) {
      const numbers = this.#numbers(appId, one);
      if (numbers === undefined) continue;
      const { rssi, txPower, interval, telemetry } = one;
      const note = { at: timeOf(one, sentAt, at), by: 'gateways', txPower, telemetry } as const;
      const near = { beaconId: gateway, rssi };
      this.#note(appId, numbers, { ...note, near, interval: interval && interval * 1000 }, gateway);
    }
  }

  notePhone(appId: string, heard: readonly HeardBeacon[]): void {
    const now = this.#deps.now();
    const current = heard.filter(({ at }) => at <= now + minuteMs && at > now - maxAgeMs);
    for (const [, together] of Map.groupBy(current, ({ at }) => Math.floor(at / togetherMs))) {
      const loudest = together
        .filter((one): one is HeardBeacon & { readonly rssi: number } => one.rssi !== undefined)
        .sort((a, b) => b.rssi - a.rssi);
      for (const { beaconId, at, rssi, txPower, telemetry } of together) {
        const other = loudest.find((one) => one.beaconId !== beaconId)?.beaconId;
        const near = other === undefined || rssi === undefined ? undefined : { beaconId: other, rssi };
        this.#note(appId, `b:${beaconId}`, { at, by: 'phones', near, txPower, telemetry });
      }
    }
  }

  #numbers(appId: string, { identity, address }: Heard): string | undefined {
    const key = `${appId} ${address}`;
    if (identity?.kind !== 'ibeacon' && identity?.kind !== 'altbeacon')
      return address === undefined ? undefined : this.#numbersOf.get(key);
    const numbers = `n:${identity.uuid}:${identity.major}:${identity.minor}`;
    if (address !== undefined && this.#numbersOf.get(key) !== numbers) this.#numbersOf.set(key, numbers);
    return numbers;
  }

  #note(appId: string, tag: string, note: Note, gateway?: string): void {
    const known = this.#gathered(appId, tag, gateway);
    if (!known) return;
    const minute = Math.floor(note.at / minuteMs);
    const what = `${note.near?.beaconId ?? ''} ${note.telemetry ? Object.keys(note.telemetry).join() : ''}`;
    if (known.last.get(what) === minute) return;
    known.last.set(what, minute);
    const day = dayOf(note.at);
    known.days.set(day, joinDays(known.days.get(day) ?? noDay, dayWith(note)));
  }

  #gathered(appId: string, tag: string, gateway: string | undefined): Gathered | undefined {
    const ofApp = this.#apps.get(appId) ?? new Map<string, Gathered>();
    const known = ofApp.get(tag);
    if (known) return known;
    const by = `${appId} ${gateway ?? ''}`;
    const added = this.#ofGateways.get(by) ?? 0;
    if (ofApp.size >= maxTags || (gateway !== undefined && added >= maxOfGateway)) return undefined;
    const fresh: Gathered = { days: new Map(), last: new Map() };
    this.#apps.set(appId, ofApp.set(tag, fresh));
    this.#ofGateways.set(by, added + 1);
    return fresh;
  }

  /** Adds what was gathered to what is stored; what cannot be stored now is kept for the next time. */
  async flush(): Promise<void> {
    const gathered = this.#apps;
    this.#apps = new Map();
    this.#ofGateways = new Map();
    const failures: unknown[] = [];
    for (const [appId, ofApp] of gathered)
      try {
        await addDays(this.#deps.db, appId, await this.#daysOf(appId, ofApp));
      } catch (error) {
        failures.push(error);
        this.#keep(appId, ofApp);
      }
    if (failures.length > 0) throw failures[0];
  }

  #keep(appId: string, ofApp: ReadonlyMap<string, Gathered>): void {
    for (const [tag, { days }] of ofApp) {
      const known = this.#gathered(appId, tag, undefined);
      for (const [day, one] of days) known?.days.set(day, joinDays(one, known.days.get(day) ?? noDay));
    }
  }

  async #daysOf(appId: string, ofApp: ReadonlyMap<string, Gathered>): Promise<readonly DayOfBeacon[]> {
    const { db, findBeaconsByAddress, findBeaconsByGateway } = this.#deps;
    const tags = [...ofApp.keys()];
    const numbers = tags.filter((tag) => tag.startsWith('n:')).map(numbersIn);
    const gateways = tags.filter((tag) => tag.startsWith('g:')).map((tag) => tag.slice(2));
    const found = await Promise.all([
      findBeaconsByAddress(db, appId, numbers),
      findBeaconsByGateway(db, appId, gateways),
    ]);
    const ids = new Map<string, string>();
    // Of several with the same numbers the oldest counts, as for sightings.
    for (const one of found[0].toReversed()) ids.set(`n:${one.uuidKey}:${one.major}:${one.minor}`, one.objectId);
    for (const one of found[1].toReversed()) ids.set(`g:${one.gatewayKey}`, one.objectId);
    const days = new Map<string, DayOfBeacon>();
    for (const [tag, gathered] of ofApp) {
      const beaconId = tag.startsWith('b:') ? tag.slice(2) : ids.get(tag);
      if (beaconId === undefined) continue;
      for (const [day, one] of gathered.days) {
        const key = `${beaconId} ${day}`;
        const known = joinDays(days.get(key)?.known ?? noDay, placed(one, ids));
        days.set(key, { beaconId, day, known });
      }
    }
    return [...days.values()];
  }
}

/** A day with gateways replaced by the beacons that stand for them; others are left out. */
const placed = ({ hours, near }: BeaconDay, ids: ReadonlyMap<string, string>): BeaconDay => ({
  hours,
  near: Object.fromEntries(
    Object.entries(near).flatMap(([place, one]) => {
      const id = place.startsWith('g:') ? ids.get(place) : place;
      return id === undefined ? [] : [[id, one]];
    }),
  ),
});

function numbersIn(tag: string) {
  const [, uuid = '', major, minor] = tag.split(':');
  return { uuid, major: Number(major), minor: Number(minor) };
}

/** By the service's clock: a gateway's may be hours off, but it knows how long it has waited. */
function timeOf({ occurredAt }: Heard, sentAt: number | undefined, at: number): number {
  const waited = occurredAt === undefined || sentAt === undefined ? 0 : sentAt - occurredAt;
  return waited > 0 && waited < maxAgeMs ? at - waited : at;
}
