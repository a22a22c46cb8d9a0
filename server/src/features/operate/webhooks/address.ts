import { fail } from '../../../base/errors.ts';
import type { TargetRules } from '../../../delivery/provider/target-rules.ts';

/**
 * The address in its stored form.
 *
 * @throws Failure ValidationError that says what is wrong with it
 */
export async function readWebhookUrl(text: string, targets: TargetRules): Promise<string> {
  const problem = problemOf(text) ?? (await targetProblem(text, targets));
  if (problem === undefined) return new URL(text).href;
  throw fail('ValidationError', { message: `url ${problem}.`, details: [{ field: 'url', problem }] });
}

function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; check the signature instead';
  if (url.hash !== '') return 'must not have a part after #, which is never sent';
  if (url.port === '0') return 'must not have the port 0';
  return undefined;
}

async function targetProblem(text: string, targets: TargetRules): Promise<string | undefined> {
  const refusal = await targets.refusal(new URL(text).hostname);
  return (
    refusal &&
    `cannot be called: ${refusal}. The operator can allow hosts of their own network with PHAROS_PRIVATE_TARGETS`
  );
}
