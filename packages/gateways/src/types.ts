/**
 * What every reader makes of a message. Plain JSON: times are epoch milliseconds, powers dBm, temperatures °C, battery and humidity per
 * cent, durations seconds. A member that the message does not have is absent.
 */

export const formats = [
  'aprilbrother',
  'esphome',
  'espresense',
  'ingics',
  'kontakt',
  'minew',
  'openmqttgateway',
  'ruuvi',
  'shelly',
] as const;

/** Whose messages they are. Theengs Gateway writes what OpenMQTTGateway does. */
export type Format = (typeof formats)[number];

export interface GatewayReport {
  /** Undefined: no known gateway writes this. */
  readonly format: Format | undefined;
  /** The gateway as topic or body name it. */
  readonly gateway?: string;
  /** Its clock when it sent the message. */
  readonly sentAt?: number;
  readonly heard: readonly Heard[];
  /** What it says about itself. */
  readonly status?: GatewayStatus;
  /** The first of what could not be used. */
  readonly leftOut: readonly LeftOut[];
  /** How much could not be used. */
  readonly leftOutCount: number;
}

/** One advertisement, or one scan response, as a gateway received it. */
export interface Heard {
  /** Which one of the message's advertisements. */
  readonly index: number;
  /** 12 hexadecimal digits in lower case. */
  readonly address?: string;
  readonly addressKind?: AddressKind;
  readonly rssi: number;
  readonly occurredAt?: number;
  readonly identity?: Identity;
  /** The received power at one metre, as the advertisement states it. */
  readonly txPower?: number;
  /** Metres, as a gateway that smooths its measurements has estimated. */
  readonly distance?: number;
  /** How often the advertisement or the report comes. */
  readonly interval?: number;
  readonly name?: string;
  readonly telemetry?: Telemetry;
}

/** Core Specification, Vol 6, Part B, 1.3. Absent where the gateway does not tell public addresses from random ones. */
export type AddressKind = 'public' | 'randomStatic' | 'resolvable' | 'nonResolvable';

/** What identifies the sender in its frame. UUIDs have 32 hexadecimal digits in lower case. */
export type Identity =
  | { readonly kind: 'ibeacon'; readonly uuid: string; readonly major: number; readonly minor: number }
  | { readonly kind: 'altbeacon'; readonly uuid: string; readonly major: number; readonly minor: number }
  /** `id`: the namespace (20 hexadecimal digits), a hyphen, and the instance (12). */
  | { readonly kind: 'eddystone'; readonly id: string }
  | { readonly kind: 'url'; readonly id: string }
  /** Kontakt.io's unique id. */
  | { readonly kind: 'kontakt'; readonly id: string }
  /** What a gateway that recognises devices itself calls this one. */
  | { readonly kind: 'named'; readonly id: string };

export interface Telemetry {
  readonly battery?: number;
  /** Volts. */
  readonly voltage?: number;
  readonly temperature?: number;
  readonly humidity?: number;
  readonly movement?: Activity;
  readonly button?: Activity;
  readonly uptime?: number;
  readonly firmware?: string;
}

export interface Activity {
  /** Now, or in this advertisement. */
  readonly isActive?: boolean;
  /** How often so far; counters of one byte begin again at 0. */
  readonly count?: number;
  readonly secondsAgo?: number;
}

export interface GatewayStatus {
  readonly isOnline?: boolean;
  readonly firmware?: string;
  readonly uptime?: number;
  /** The load of its processor, as it measures it: 1 is one busy core. */
  readonly load?: number;
}

export type LeftOutCode =
  /** Longer than `maxBytes`. */
  | 'too_large'
  /** No JSON, no lines, no MessagePack. */
  | 'malformed'
  | 'unknown_format'
  /** A message that has no signals. */
  | 'not_a_report'
  /** More advertisements than `maxHeard`. */
  | 'too_many'
  | 'not_an_object'
  | 'no_sender'
  | 'no_signal'
  | 'bad_time'
  /** Encrypted, truncated, or of a version that is not known; what else the advertisement says is used. */
  | 'bad_frame';

export interface LeftOut {
  /** Of the advertisement; absent: it concerns the message. */
  readonly index?: number;
  readonly code: LeftOutCode;
  readonly message: string;
}
