import type { Site, SiteEngine, Transition } from './site-engines.ts';

/**
 * Other products' rules, written from their public documentation with its default settings, and the two that everybody
 * begins with. Each judges a beacon by its own signal; presence is a distance below 3 m, and the nearest is the least distance.
 * Where a beacon was calibrated its measured power takes the place of the product's default.
 */

interface PairRun {
  /** Takes a sample; answers the distance in metres that the product would show. */
  hear(at: number, rssi: number): number;
}

interface PairRule {
  readonly name: string;
  /** RSSI at one metre where nobody has calibrated, dBm. */
  readonly power: number;
  start(power: number): PairRun;
  /** Metres to come in and to go out. */
  readonly gate?: readonly [inside: number, outside: number];
  /** Only the nearest beacon can have the visitor. */
  readonly isExclusive?: true;
}

const RADIUS = 3;
const FRESH_MS = 10_000;

const raw: PairRule = {
  name: 'raw threshold',
  power: -59,
  start: (power) => ({ hear: (_at, rssi) => 10 ** ((power - rssi) / 20) }),
};

const ema: PairRule = {
  name: 'EMA 3 s ±20 %',
  power: -59,
  gate: [0.8 * RADIUS, 1.2 * RADIUS],
  start(power) {
    let [mean, last]: [number | null, number] = [null, 0];
    return {
      hear(at, rssi) {
        mean = mean === null || at - last > 30_000 ? rssi : mean + (1 - Math.exp((last - at) / 3000)) * (rssi - mean);
        last = at;
        return 10 ** ((power - mean) / 20);
      },
    };
  },
};

const kalman: PairRule = {
  name: 'Kalman',
  power: -59,
  start(power) {
    let [mean, variance, last]: [number | null, number, number] = [null, 36, 0];
    return {
      hear(at, rssi) {
        const predicted = variance + (2 * (at - last)) / 1000;
        const gain = predicted / (predicted + 36);
        if (mean === null) [mean, variance] = [rssi, 36];
        else [mean, variance] = [mean + gain * (rssi - mean), (1 - gain) * predicted];
        last = at;
        return 10 ** ((power - mean) / 20);
      },
    };
  },
};

/** AltBeacon's library: the mean of 20 s without the highest and lowest tenth, and its power law of ratios. */
const altBeacon: PairRule = {
  name: 'AltBeacon',
  power: -59,
  start(power) {
    let kept: { readonly at: number; readonly rssi: number }[] = [];
    return {
      hear(at, rssi) {
        kept = [...kept.filter((one) => at - one.at <= 20_000), { at, rssi }];
        const sorted = kept.map((one) => one.rssi).sort((a, b) => a - b);
        const cut = sorted.length > 2 ? Math.floor(sorted.length / 10) : 0;
        const middle = sorted.slice(cut, sorted.length - cut);
        const ratio = middle.reduce((sum, one) => sum + one, 0) / middle.length / power;
        return ratio < 1 ? ratio ** 10 : 0.89976 * ratio ** 7.7095 + 0.111;
      },
    };
  },
};

/** ESPresense: absorption 2.7, −65 dBm at one metre, and a 1 € filter (Casiez, Roussel and Vogel, 2012) over the distance. */
const espresense: PairRule = {
  name: 'ESPresense',
  power: -65,
  start(power) {
    const [slowest, beta, slope] = [0.1, 0.001, 0.005];
    let [value, speed, last]: [number | null, number, number] = [null, 0, 0];
    const share = (cutoff: number, seconds: number) => 1 / (1 + 1 / (2 * Math.PI * cutoff * seconds));
    return {
      hear(at, rssi) {
        const distance = 10 ** ((power - rssi) / (10 * 2.7));
        const seconds = Math.max(0.001, (at - last) / 1000);
        last = at;
        if (value === null) value = distance;
        speed += share(slope, seconds) * ((distance - value) / seconds - speed);
        value += share(slowest + beta * Math.abs(speed), seconds) * (distance - value);
        return value;
      },
    };
  },
};

/** Bermuda: attenuation 3, −55 dBm, the running minimum of the last 20 readings, nobody faster than 3 m/s, nearest wins. */
const bermuda: PairRule = {
  name: 'Bermuda',
  power: -55,
  isExclusive: true,
  start(power) {
    let history: number[] = [];
    let [shown, last]: [number | null, number] = [null, 0];
    return {
      hear(at, rssi) {
        const distance = 10 ** ((power - rssi) / 30);
        const seconds = Math.max(0.001, (at - last) / 1000);
        last = at;
        const before = history[0] ?? distance;
        const isTooFast = (distance - before) / seconds > 3;
        history = [isTooFast ? before : distance, ...history].slice(0, 20);
        let [least, sum] = [Number.POSITIVE_INFINITY, 0];
        for (const one of history) {
          least = Math.min(least, one);
          sum += least;
        }
        shown = Math.min(history[0] ?? distance, sum / history.length);
        return shown;
      },
    };
  },
};

export const RULES: readonly SiteEngine[] = [raw, ema, kalman, altBeacon, espresense, bermuda].map(siteOf);

function siteOf(rule: PairRule): SiteEngine {
  return { name: rule.name, start: (site) => startSite(rule, site) };
}

function startSite(rule: PairRule, site: Site) {
  const [inside, outside] = rule.gate ?? [RADIUS, RADIUS];
  const heard = new Map<string, { readonly run: PairRun; distance: number; at: number; isInside: boolean }>();
  const nearest = (at: number): string | null => {
    let [best, least]: [string | null, number] = [null, Number.POSITIVE_INFINITY];
    for (const [beacon, one] of heard)
      if (at - one.at <= FRESH_MS && one.distance < least) [best, least] = [beacon, one.distance];
    return best;
  };
  return {
    nearest,
    hear(at: number, beacon: string, rssi: number): Transition[] {
      const run = heard.get(beacon)?.run ?? rule.start(site.powers.get(beacon) ?? rule.power);
      const distance = run.hear(at, rssi);
      heard.set(beacon, { run, distance, at, isInside: heard.get(beacon)?.isInside ?? false });
      const first = rule.isExclusive === true ? nearest(at) : null;
      return [...heard].flatMap(([id, one]): Transition[] => {
        if (id !== beacon && rule.isExclusive !== true) return [];
        const isNear = one.distance < (one.isInside ? outside : inside);
        const isInside = isNear && (rule.isExclusive !== true || id === first);
        if (isInside === one.isInside) return [];
        one.isInside = isInside;
        return [{ beacon: id, event: isInside ? 'ENTER' : 'EXIT' }];
      });
    },
  };
}
