import { dayMs, hourMs } from '../../../src/features/presence/fleet/days/day.ts';
import { forecastBattery } from '../../../src/features/presence/fleet/detect/battery.ts';
import { findAll } from '../../../src/features/presence/fleet/detect/detect.ts';
import { simulateFleet } from './simulated-fleet.ts';

export interface Score {
  /** Of beacons that died: those told within 24 opening hours. */
  readonly deaths: number;
  readonly deathsTold: number;
  /** Findings of beacons of which it is not true, by kind, in all weeks judged. */
  readonly falseAlarms: Readonly<Record<string, number>>;
  readonly weeks: number;
  readonly forecasts: number;
  readonly forecastsWithin: number;
  /** In whose interval the battery ended. */
  readonly forecastsCovered: number;
  readonly moves: number;
  readonly movesTold: number;
  readonly clones: number;
  readonly clonesTold: number;
  readonly bleeding: number;
  readonly bleedingTold: number;
  readonly misset: number;
  readonly missetTold: number;
}

const firstDay = 28;
const lastDay = 90;

/** Judges a simulated fleet several times a day, as the service does. */
export function scoreFleet(
  seed: number,
  options: { readonly venues?: number; readonly log?: (line: string) => void } = {},
): Score {
  const { start, runTo, fleet, truth, openHours } = simulateFleet(seed, options);
  const firstTold = new Map<string, number>();
  const falseAlarms: Record<string, number> = {};
  let [forecasts, within, covered] = [0, 0, 0];
  const isTrue = (kind: string, id: string, now: number): boolean => {
    if (kind === 'silent') return (truth.deaths.get(id) ?? Number.POSITIVE_INFINITY) <= now;
    if (kind === 'battery') return (truth.batteries.get(id) ?? Number.POSITIVE_INFINITY) < now + 60 * dayMs;
    if (kind === 'moved') return (truth.moves.get(id) ?? Number.POSITIVE_INFINITY) <= now;
    if (kind === 'cloned') return (truth.clones.get(id) ?? Number.POSITIVE_INFINITY) <= now;
    return kind === 'bleeding' ? truth.bleeding.has(id) : truth.misset.has(id);
  };
  const cloneHours = new Set([...truth.clones.values()].flatMap((at) => [1, 2, 3].map((hour) => at + hour * hourMs)));
  let before = new Set<string>();
  for (let hour = firstDay * 24; hour <= lastDay * 24; hour++) {
    const now = start + hour * hourMs;
    const isDue = [11, 14, 17, 20, 23].includes(hour % 24);
    if (!isDue && !cloneHours.has(now)) continue;
    // In the middle of a minute, as any other moment.
    runTo(now);
    const found = findAll(fleet(now));
    const current = new Set(found.map(({ kind, beaconId }) => `${kind} ${beaconId}`));
    for (const { kind, beaconId, facts } of found) {
      const key = `${kind} ${beaconId}`;
      if (isTrue(kind, beaconId, now)) {
        if (!firstTold.has(key)) firstTold.set(key, now);
      } else if (!before.has(key)) {
        falseAlarms[kind] = (falseAlarms[kind] ?? 0) + 1;
        options.log?.(`false ${key} on day ${Math.floor(hour / 24)} ${JSON.stringify(facts)}`);
      }
    }
    before = current;
    if (hour % 24 === 23)
      for (const [id, death] of truth.batteries) {
        // Thirty days before, as the list for the next round of batteries is made.
        const left = Math.floor((death - now) / dayMs);
        if (left !== 30) continue;
        forecasts++;
        const forecast = forecastBattery(fleet(now).days.get(id), now);
        const off = forecast && Math.round((forecast.emptyAt - death) / dayMs);
        if (off === undefined || Math.abs(off) > 14) options.log?.(`battery ${id}: ${off} days off`);
        if (!forecast) continue;
        if (Math.abs(forecast.emptyAt - death) <= 14 * dayMs) within++;
        if (death >= forecast.earliest && death <= forecast.latest) covered++;
      }
  }
  const told = (kind: string, of: ReadonlyMap<string, number>, hours: number, isOpen: boolean) =>
    [...of].filter(([id, at]) => {
      const first = firstTold.get(`${kind} ${id}`);
      const isIn = first !== undefined && (isOpen ? openHours(id, at, first) <= hours : first - at <= hours * hourMs);
      if (!isIn)
        options.log?.(
          `missed ${kind} ${id}: ${first === undefined ? 'never' : openHours(id, at, first)} opening hours`,
        );
      return isIn;
    }).length;
  const moveHours = 2 * 11;
  return {
    deaths: truth.deaths.size,
    deathsTold: told('silent', truth.deaths, 24, true),
    ...{ falseAlarms, weeks: (lastDay - firstDay) / 7, forecasts, forecastsWithin: within, forecastsCovered: covered },
    moves: truth.moves.size,
    movesTold: told('moved', truth.moves, moveHours, true),
    clones: truth.clones.size,
    clonesTold: told('cloned', truth.clones, 1, true),
    bleeding: truth.bleeding.size,
    bleedingTold: [...truth.bleeding].filter((id) => firstTold.has(`bleeding ${id}`)).length,
    misset: truth.misset.size,
    missetTold: [...truth.misset].filter((id) => firstTold.has(`setting ${id}`)).length,
  };
}
