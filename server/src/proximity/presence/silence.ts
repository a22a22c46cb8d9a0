import type { Observation, SenderKind } from './types.ts';

/** Seconds of silence that mean EXIT, by kind of sender: about three times what each leaves between two reports. */
export const SILENCE_SECONDS: Readonly<Record<SenderKind, number>> = {
  phone: 30,
  androidBackground: 900,
  espresense: 30,
  openmqttgateway: 195,
};
const SHORTEST_SILENCE = 30;

/** max(30 s, 3 × the sender's interval) in milliseconds; without an interval the profile of its kind, else a phone's. */
export function silenceMs(observation: Pick<Observation, 'sender' | 'interval'>): number {
  const { sender, interval } = observation;
  if (interval !== undefined && interval > 0) return Math.max(SHORTEST_SILENCE, 3 * interval) * 1000;
  return SILENCE_SECONDS[sender ?? 'phone'] * 1000;
}
