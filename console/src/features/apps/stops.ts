import { stopOf } from '../../components/dialogs/confirm-dialog.tsx';
import { t } from '../../lib/words/words.ts';
import type { Policy } from './rule-parts.tsx';

/** The question before a change of the policy that refuses something to visitors who are served today. */
export const policyStop = (name: string, before: Policy, after: Policy) =>
  stopOf(t('Save the limits'), t('Save the limits of {name}', { name }), stopsOf(before, after));

/** What it refuses, in sentences; a number alone would not say it. */
function stopsOf(before: Policy, after: Policy): readonly string[] {
  return [...stopsOfPhones(before, after), ...stopsOfUsers(before, after), ...stopsOfAmounts(before, after)];
}

function stopsOfPhones(before: Policy, after: Policy): readonly string[] {
  const stops: string[] = [];
  if (before.consent !== 'required' && after.consent === 'required')
    stops.push(
      t('Phones whose app does not ask yet get no messages and are not recorded; their sightings are only counted.'),
    );
  if (before.installationProof !== 'required' && after.installationProof === 'required')
    stops.push(t('An app that makes no secret yet can register no new phones. Those that are registered go on.'));
  return stops;
}

function stopsOfUsers(before: Policy, after: Policy): readonly string[] {
  const stops: string[] = [];
  if (before.emailVerification !== 'required' && after.emailVerification === 'required')
    stops.push(
      t('Accounts whose address is not confirmed cannot sign in with a password. Check that the service sends mail.'),
    );
  if (before.totp !== 'required' && after.totp === 'required')
    stops.push(
      t(
        'Whoever signed in without a second factor has to sign in again. Versions of the app that know of no second step sign nobody in.',
      ),
    );
  if (before.selfErasure !== 'fresh' && after.selfErasure === 'fresh')
    stops.push(
      t('Versions of the app that do not ask people to sign in again erase no account ten minutes after a sign-in.'),
    );
  if (before.signInLinkUrl && !after.signInLinkUrl) stops.push(t('Nobody signs in by mail any more.'));
  if (before.passkeys.enabled && !after.passkeys.enabled) stops.push(t('Nobody signs in with a passkey any more.'));
  else if (before.passkeys.rpId && after.passkeys.rpId.trim() !== before.passkeys.rpId)
    stops.push(t('Passkeys that users have under {host} stop working.', { host: before.passkeys.rpId }));
  return stops;
}

function stopsOfAmounts(before: Policy, after: Policy): readonly string[] {
  const stops: string[] = [];
  const [was, is] = [before.rateLimit, after.rateLimit];
  const isTighter = !was.enabled || is.perSecond < was.perSecond || is.burst < was.burst;
  if (is.enabled && isTighter) stops.push(t('Clients that send more requests than that are refused.'));
  const names = Object.keys(after.quotas) as (keyof Policy['quotas'])[];
  const none = Number.POSITIVE_INFINITY;
  if (names.some((name) => (after.quotas[name] ?? none) < (before.quotas[name] ?? none)))
    stops.push(t('What goes beyond the lower quotas is refused.'));
  const alone = ({ approval: { enabled, above } }: Policy) => (enabled ? above : Number.POSITIVE_INFINITY);
  if (alone(after) < alone(before))
    stops.push(
      t('Pushes to more than {count, number} phones wait for a second person.', { count: after.approval.above }),
    );
  return stops;
}
