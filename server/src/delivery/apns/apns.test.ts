import { describePushSender } from '../../../test/conformance/push-sender.ts';
import { apnsDefinition } from './apns.ts';

describePushSender('APNs', {
  definition: apnsDefinition,
  entered: ({ apns }) => apns.entered,
  target: ({ apns }, name) => ({ token: apns.tokenFor(name), deviceType: 'ios' }),
  ids: ({ headers, content }) => [headers['apns-id'] ?? null, headers['apns-collapse-id'] ?? null, content],
  scopes: { tooMany: 'message', unavailable: 'provider' },
  deadSince: 1_700_000_000_000,
});
