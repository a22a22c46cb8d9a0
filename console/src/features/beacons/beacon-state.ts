import { findingTitles } from '../../components/names/finding-words.ts';
import type { Finding } from '../../lib/fleet/findings.ts';
import { isToDo } from '../../lib/fleet/findings.ts';
import { t } from '../../lib/words/words.ts';

/** What is known of a beacon's work: visitors that it was noticed by, and what is wrong with it. */

export interface BeaconVisits {
  /** Whose visit goes on. */
  readonly visitors: number;
  readonly lastVisitAt: string;
}

export interface BeaconState {
  readonly text: string;
  readonly color: 'teal' | 'yellow' | 'gray';
  readonly sentence: string;
}

/**
 * @param visits undefined if it never had one
 * @param translate the service's sentence about a finding in the language of the page
 */
export function stateOf(
  visits: BeaconVisits | undefined,
  findings: readonly Finding[],
  translate: (text: string) => string,
): BeaconState {
  const [finding] = findings.filter(isToDo);
  if (finding) return { text: findingTitles[finding.kind], color: 'yellow', sentence: translate(finding.text) };
  if (visits && visits.visitors > 0)
    return { text: t('Visitors here'), color: 'teal', sentence: t('It works: visitors are here now.') };
  if (!visits)
    return { text: t('Not heard yet'), color: 'gray', sentence: t('No phone has noticed it yet. Walk past it once.') };
  return { text: t('Works'), color: 'teal', sentence: t('It works: visitors are noticed here.') };
}
