import type { Observation, ReporterKind } from './types.ts';

/**
 * Seconds of silence that mean EXIT, by kind of sender: about three times what each leaves between two reports. A phone in
 * the background is woken every 15 minutes at best, so that one missed report must not end a visit.
 */
export const SILENCE_SECONDS: Readonly<Record<ReporterKind, number>> = {
  phone: 30,
  androidBackground: 2_700,
  iosBackground: 2_700,
  espresense: 30,
  openmqttgateway: 195,
};
const MIN_SILENCE = 30;
/** A sender that reports less often than every two hours says nothing about presence in between. */
const MAX_SILENCE = 6 * 3_600;
/** From this interval on (s) a sender reports too rarely for a hold of seconds to be observed. */
const SPARSE_INTERVAL = 300;

/** max(30 s, 3 × the sender's interval) in milliseconds; without an interval the profile of its kind, else a phone's. */
export function silenceMs(observation: Pick<Observation, 'sender' | 'interval'>): number {
  const { sender, interval } = observation;
  if (interval !== undefined && interval > 0) return Math.min(MAX_SILENCE, Math.max(MIN_SILENCE, 3 * interval)) * 1000;
  return SILENCE_SECONDS[sender ?? 'phone'] * 1000;
}

/** Whether one sample has to be enough, because the next one comes minutes later. */
export function isSparse({ sender, interval }: Pick<Observation, 'sender' | 'interval'>): boolean {
  if (interval !== undefined && interval > 0) return interval >= SPARSE_INTERVAL;
  return sender === 'androidBackground' || sender === 'iosBackground';
}
