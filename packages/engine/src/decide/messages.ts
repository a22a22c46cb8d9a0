import { base64Of } from '../digest.ts';
import { timeOfId } from '../presence/ids.ts';
import type { Verdict } from '../rules/rule-types.ts';
import type { DecisionContext, Fired, JudgedAt } from './decision.ts';
import type { SiteTrigger } from './triggers.ts';
import { inLanguage, languageFor, type Members } from './words.ts';

/** What a verdict shows, and under which id. */

/** One id for each trigger, installation, visit and event: what makes a delivery that delivery. */
export function triggerDeliveryId(
  verdict: Verdict,
  { installationId, seedOf }: Pick<DecisionContext, 'installationId' | 'seedOf'>,
): string {
  const { triggerId, visitId, eventId } = verdict;
  const whose = seedOf?.(timeOfId(visitId)) ?? installationId;
  const digest = base64Of(JSON.stringify([triggerId, whose, visitId, eventId]), 24);
  // The event's time in front: new jobs then land at the end of the index.
  return eventId.slice(0, 8) + digest;
}

export function firedOf(
  verdicts: readonly JudgedAt[],
  triggers: ReadonlyMap<string, readonly SiteTrigger[]>,
  context: DecisionContext,
): Fired[] {
  return verdicts.flatMap(({ beaconId, verdict }) => {
    const shown = triggers.get(beaconId)?.find(({ trigger }) => trigger.id === verdict.triggerId);
    if (verdict.outcome !== 'fired' || !shown) return [];
    const content = shown.variants?.get(verdict.group ?? '') ?? shown.content;
    const worded = inWords({ ...shown, content }, context.locale);
    return [{ beaconId, verdict, ...worded, deliveryId: triggerDeliveryId(verdict, context) }];
  });
}

/** What is shown, in the language that the visitor reads. */
function inWords(shown: SiteTrigger, locale: string | null | undefined): Pick<Fired, 'shown' | 'language'> {
  const { words, content } = shown;
  const language = languageFor(words, locale);
  if (!words.translations) return { shown, language };
  const { message } = content;
  const translated = message
    ? { ...content, message: inLanguage(message as Members, words, language) }
    : inLanguage(content, words, language);
  return { shown: { ...shown, content: translated }, language };
}
