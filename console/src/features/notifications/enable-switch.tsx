import { Switch } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { dataOf } from '../../lib/api.ts';
import { useAction } from '../../lib/use-action.ts';
import { notificationKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly notification: Notification;
  readonly isLocked: boolean;
}

/** Shows at once what one wants; falls back when the service refuses. */
export function EnableSwitch({ appId, notification: { objectId, description, isEnabled }, isLocked }: Props) {
  const change = useAction({
    run: (wanted: boolean) => dataOf(appId).notifications.update(objectId, { isEnabled: wanted }),
    refresh: notificationKeys(appId),
  });
  return (
    <Switch
      aria-label={`${description} is on`}
      checked={change.isPending ? change.variables : isEnabled}
      disabled={isLocked}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
