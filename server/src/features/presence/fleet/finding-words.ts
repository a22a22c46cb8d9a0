import { dayIn } from '../../zone-day.ts';
import type { FindingRow } from './finding-store.ts';

export interface FindingWordsDeps {
  /** What a beacon is called. */
  readonly nameOf: (beaconId: string) => string;
  readonly timeZone: string;
}

/** Why it was found, and what to do. */
export function wordsOf({ kind, facts: text }: Pick<FindingRow, 'kind' | 'facts'>, deps: FindingWordsDeps): string {
  const { nameOf, timeZone } = deps;
  const facts = JSON.parse(text) as Readonly<Record<string, string | number>>;
  const place = (name: string) => nameOf(String(facts[name]));
  const day = (name: string) => dayIn(timeZone, Number(facts[name])).day;
  switch (kind) {
    case 'silent':
      return `It has not been heard for ${facts['openHours']} hours in which it usually is. Its battery may be empty, or it was taken away.`;
    case 'battery':
      return `About ${facts['charge']} % are left. It will be empty on ${day('emptyAt')}, in nine of ten cases between ${day('earliest')} and ${day('latest')}.`;
    case 'moved':
      return `It is heard near ${place('away')} and no longer near ${place('home')}. Put it back, or change its place on the plan.`;
    case 'cloned':
      return `It is heard near ${place('home')} and near ${place('away')} at the same time: another beacon sends the same numbers.`;
    case 'bleeding':
      return `Much of the time it is heard near ${place('away')}, where it should not be. Lower its power, or move it.`;
    case 'setting':
      return settingWords(facts);
  }
}

function settingWords({ what, own, usual }: Readonly<Record<string, string | number>>): string {
  if (what === 'power')
    return `Its measured power is ${own} dBm; that of most others in the venue is ${usual} dBm. Compare their settings.`;
  if (what === 'interval')
    return `It sends every ${own} ms; most others in the venue send every ${usual} ms. Compare their settings.`;
  return Number(own) > 0
    ? `It is heard ${own} dB louder than the others in the venue. Compare their settings.`
    : `It is heard ${-Number(own)} dB quieter than the others in the venue. Something may cover it; else compare their settings.`;
}
