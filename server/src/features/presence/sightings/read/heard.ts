import type { Observation } from '@pharos/engine';
import type { Heard } from '@pharos/gateways';
import type { Reading } from './reports.ts';

/** What a gateway has heard, in the one shape of all gateways. */
export interface HeardByGateway {
  readonly gateway: string;
  readonly heard: readonly Heard[];
  /** How far the gateway's clock is ahead, ms; undefined: nothing says it. */
  readonly clockOffset: number | undefined;
}

/** Reports of tags at the gateway, which those that it heard stand for. */
export const readHeard = ({ gateway, heard }: HeardByGateway, now: number): readonly Reading[] =>
  heard.map((one) => readingOf(gateway, one, now));

function readingOf(gateway: string, { index, address, identity, ...values }: Heard, now: number): Reading {
  const { rssi, occurredAt, txPower, distance, interval } = values;
  const isBeacon = identity?.kind === 'ibeacon' || identity?.kind === 'altbeacon';
  const id = identity && !isBeacon ? identity.id : undefined;
  const observation: Observation = {
    occurredAt: occurredAt ?? now,
    rssi,
    receiver: gateway,
    ...(txPower === undefined ? {} : { txPower }),
    ...(distance === undefined ? {} : { distance, smoothed: true }),
    ...(interval === undefined ? {} : { interval }),
  };
  return {
    index,
    subject: {
      direction: 'gateway',
      gateway,
      tag: address ?? id ?? `${identity?.kind}`,
      ...(isBeacon ? { address: { uuid: identity.uuid, major: identity.major, minor: identity.minor } } : {}),
      ...(id === undefined ? {} : { identity: id }),
    },
    observation,
    eventId: undefined,
    sentTime: occurredAt,
  };
}
