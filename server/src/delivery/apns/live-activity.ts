import type { ProviderRequest } from '../provider/provider-answer.ts';
import type { LiveActivity, LiveTarget } from '../push/live-activities.ts';

/**
 * Live Activities, in the form of
 * https://developer.apple.com/documentation/activitykit/starting-and-updating-live-activities-with-activitykit-push-notifications and
 * https://developer.apple.com/documentation/usernotifications/sending-broadcast-push-notification-requests-to-apns, without their
 * authorization.
 */

/** APNs takes more of a broadcast than of a push to one device. */
export const maxLiveBytes = { device: 4096, broadcast: 5120 } as const;

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : Math.floor(ms / 1000));

function payload({ event, contentState, attributes, alert, now, ...more }: LiveActivity): string {
  const { title, body, sound } = alert ?? {};
  return JSON.stringify({
    aps: {
      timestamp: seconds(now),
      event,
      'content-state': contentState,
      'attributes-type': attributes?.type,
      attributes: attributes?.values,
      // Who is started by a push may follow a channel from then on, or asks for a token of its own.
      'input-push-channel': event === 'start' ? more.followsChannel : undefined,
      'input-push-token': event === 'start' && more.followsChannel === undefined ? 1 : undefined,
      alert: alert && { title, body, sound },
      'stale-date': seconds(more.staleAt),
      'dismissal-date': seconds(more.dismissAt),
      'relevance-score': more.relevance,
    },
  });
}

export function liveRequest(activity: LiveActivity, target: LiveTarget, bundleId: string): ProviderRequest {
  const headers = {
    'apns-push-type': 'liveactivity',
    'apns-priority': activity.urgency === 'high' ? 10 : 5,
    // 0: at once or never, which a channel that stores nothing demands.
    'apns-expiration': seconds(activity.expiresAt) ?? 0,
  };
  const body = payload(activity);
  if ('channelId' in target)
    return {
      path: `/4/broadcasts/apps/${bundleId}`,
      headers: { ...headers, 'apns-channel-id': target.channelId },
      body,
    };
  const topic = { 'apns-topic': `${bundleId}.push-type.liveactivity` };
  return { path: `/3/device/${encodeURIComponent(target.token)}`, headers: { ...headers, ...topic }, body };
}

/** https://developer.apple.com/documentation/usernotifications/sending-channel-management-requests-to-apns */
export const manageOrigins = {
  production: 'https://api-manage-broadcast.push.apple.com:2196',
  sandbox: 'https://api-manage-broadcast.sandbox.push.apple.com:2195',
} as const;

export const createChannelRequest = (bundleId: string, storesLatest: boolean): ProviderRequest => ({
  path: `/1/apps/${bundleId}/channels`,
  headers: {},
  body: JSON.stringify({ 'message-storage-policy': storesLatest ? 1 : 0, 'push-type': 'LiveActivity' }),
});

export const deleteChannelRequest = (bundleId: string, channelId: string): ProviderRequest => ({
  method: 'DELETE',
  path: `/1/apps/${bundleId}/channels`,
  headers: { 'apns-channel-id': channelId },
  body: '',
});
