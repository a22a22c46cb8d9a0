import { type Contents, joined } from '../frames/advertisement.ts';
import type { Frame } from '../frames/frame.ts';
import type { AddressKind, Format, GatewayReport, GatewayStatus, Heard, LeftOutCode } from '../types.ts';
import { addressOf, numberIn, optional, timeOf } from '../values.ts';

/** The two most significant bits of a random address say of which kind it is (Core Specification, Vol 6, Part B, 1.3.2). */
const randomKinds: readonly (AddressKind | undefined)[] = ['nonResolvable', 'resolvable', undefined, 'randomStatic'];

/**
 * @param address 12 hexadecimal digits
 * @param type of HCI and of most gateways: 0 and 2 for public addresses, 1 and 3 for random ones; anything else says nothing
 */
function addressKindOf(address: string, type: unknown): AddressKind | undefined {
  if (type === 0 || type === 2) return 'public';
  if (type === 1 || type === 3) return randomKinds[Number.parseInt(address.slice(0, 2), 16) >> 6];
  return undefined;
}

/** More advertisements than this in one message are left out. */
export const maxHeard = 1_000;
/** Left-out items that are reported one by one; further ones are counted. */
const maxReported = 50;

/** One advertisement as a body has it, with the values as they were written. */
export interface Written {
  readonly address?: unknown;
  /** See `addressKindOf`. */
  readonly addressType?: unknown;
  readonly rssi: unknown;
  readonly time?: unknown;
  readonly frames?: readonly Frame[];
  /** What the gateway has read itself; it comes before the frames. */
  readonly read?: Partial<Pick<Heard, 'identity' | 'txPower' | 'distance' | 'interval' | 'name' | 'telemetry'>>;
}

type Own = Pick<GatewayReport, 'gateway' | 'sentAt' | 'status'>;

/** Gathers what a reader finds, and what it leaves out. */
export class Collector {
  readonly #heard: Heard[] = [];
  readonly #leftOut: { index?: number; code: LeftOutCode; message: string }[] = [];
  #leftOutCount = 0;
  #index = 0;

  leaveOut(code: LeftOutCode, message: string, index?: number): void {
    this.#leftOutCount++;
    if (this.#leftOut.length < maxReported) this.#leftOut.push({ ...optional('index', index), code, message });
  }

  /** Calls the reader for each element, up to the limit. */
  each<T>(elements: readonly T[], read: (element: T, index: number) => void): void {
    elements.slice(0, maxHeard).forEach((element, index) => {
      this.#index = index;
      read(element, index);
    });
    if (elements.length <= maxHeard) return;
    this.leaveOut('too_many', `${elements.length - maxHeard} advertisements were left out: ${maxHeard} are read.`);
    this.#leftOutCount += elements.length - maxHeard - 1;
  }

  /** Leaves the current element out. */
  skip(code: LeftOutCode, message: string): void {
    this.leaveOut(code, message, this.#index);
  }

  add({ address: written, addressType, rssi: power, time, frames = [], read = {} }: Written): void {
    if (this.#heard.length === maxHeard) {
      this.skip('too_many', `Only ${maxHeard} advertisements are read.`);
      return;
    }
    const address = addressOf(written);
    const { problems, ...contents }: Contents = joined(frames);
    const telemetry = { ...contents.telemetry, ...read.telemetry };
    const all = { ...contents, ...read };
    if (address === undefined && all.identity === undefined) {
      this.skip('no_sender', 'It has neither an address nor an identity.');
      return;
    }
    // 127 means that the chip could not measure, 0 that nothing was.
    const rssi = numberIn(power, -127, -1);
    if (rssi === undefined) {
      this.skip('no_signal', 'Its rssi is not between -127 and -1 dBm.');
      return;
    }
    const occurredAt = timeOf(time);
    if (occurredAt === null) {
      this.skip('bad_time', 'Its time is neither ISO 8601 nor an epoch time.');
      return;
    }
    for (const problem of problems) this.skip('bad_frame', problem);
    const kind = address === undefined ? undefined : addressKindOf(address, addressType);
    this.#heard.push({
      index: this.#index,
      ...optional('address', address),
      ...optional('addressKind', kind),
      rssi,
      ...optional('occurredAt', occurredAt),
      ...all,
      ...(Object.keys(telemetry).length === 0 ? {} : { telemetry }),
    });
  }

  /** @param sentAt as it was written; one that is no time is told, and ignored */
  report(
    format: Format | undefined,
    {
      gateway,
      status,
      sentAt,
    }: { gateway?: string | undefined; status?: GatewayStatus | undefined; sentAt?: unknown } = {},
  ): GatewayReport {
    const sent = timeOf(sentAt);
    if (sent === null) this.leaveOut('bad_time', 'The time of the message is neither ISO 8601 nor an epoch time.');
    const own: Own = {
      ...optional('gateway', gateway),
      ...optional('sentAt', sent ?? undefined),
      ...optional('status', status),
    };
    return { format, ...own, heard: this.#heard, leftOut: this.#leftOut, leftOutCount: this.#leftOutCount };
  }
}
