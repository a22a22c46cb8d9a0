import { isoTime } from '../../../../http/answers.ts';

/** A zone, and whether somebody is in it. */
export interface AnnouncedZone {
  readonly objectId: string;
  readonly name: string;
  readonly isOccupied: boolean;
}

export interface AnnouncedBeacon {
  readonly objectId: string;
  readonly name: string;
  /** Per cent. */
  readonly battery?: number | undefined;
  /** To the minute, ms. */
  readonly seenAt?: number | undefined;
}

/** Retained messages, by topic. */
export type Retained = ReadonlyMap<string, string>;

export const rootOf = (appId: string): string => `pharos/${appId}`;
export const statusTopic = (appId: string): string => `${rootOf(appId)}/status`;
/** It names the prefix under which the app was announced, so that this can be taken back. */
export const prefixTopic = (appId: string): string => `${rootOf(appId)}/discovery`;
export const configTopics = (prefix: string, appId: string): string => `${prefix}/+/${nodeOf(appId)}/+/config`;
const nodeOf = (appId: string): string => `pharos_${appId}`;

/**
 * What Home Assistant is told of an app: a binary sensor for each zone, and for each beacon its battery and when it was heard last, as
 * far as that is known. Discovery topics are `<prefix>/<component>/<node>/<object>/config`, retained; what is gone gets an empty message
 * (https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery, …/binary_sensor.mqtt/, …/sensor.mqtt/).
 */
export function announced(
  prefix: string,
  appId: string,
  { zones, beacons }: { readonly zones: readonly AnnouncedZone[]; readonly beacons: readonly AnnouncedBeacon[] },
): Retained {
  const topics = new Map([
    [prefixTopic(appId), prefix],
    [statusTopic(appId), 'online'],
  ]);
  const add = (component: 'binary_sensor' | 'sensor', id: string, config: object) => {
    const own = {
      unique_id: `${nodeOf(appId)}_${id}`,
      availability_topic: statusTopic(appId),
      origin: { name: 'Pharos' },
    };
    topics.set(`${prefix}/${component}/${nodeOf(appId)}/${id}/config`, JSON.stringify({ ...config, ...own }));
  };
  const deviceOf = (model: string, { objectId, name }: { readonly objectId: string; readonly name: string }) => ({
    device: { identifiers: [`${nodeOf(appId)}_${objectId}`], name, manufacturer: 'Pharos', model },
  });
  for (const zone of zones) {
    const topic = `${rootOf(appId)}/zones/${zone.objectId}`;
    topics.set(topic, zone.isOccupied ? 'ON' : 'OFF');
    const config = { name: 'Occupancy', device_class: 'occupancy', state_topic: topic };
    add('binary_sensor', zone.objectId, { ...config, ...deviceOf('Zone', zone) });
  }
  for (const beacon of beacons) {
    const { objectId, battery, seenAt } = beacon;
    const topic = `${rootOf(appId)}/beacons/${objectId}`;
    const shared = { ...deviceOf('Beacon', beacon), entity_category: 'diagnostic' };
    if (battery !== undefined) {
      topics.set(`${topic}/battery`, String(Math.round(battery)));
      const config = { name: 'Battery', device_class: 'battery', unit_of_measurement: '%', state_class: 'measurement' };
      add('sensor', `${objectId}_battery`, { ...config, state_topic: `${topic}/battery`, ...shared });
    }
    if (seenAt !== undefined) {
      topics.set(`${topic}/seen`, isoTime(seenAt));
      const config = { name: 'Last seen', device_class: 'timestamp', state_topic: `${topic}/seen` };
      add('sensor', `${objectId}_seen`, { ...config, ...shared });
    }
  }
  return topics;
}
