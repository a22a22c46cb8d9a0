import { Checkbox, Stack } from '@mantine/core';
import type { Bulk } from '../../components/bulk/bulk.ts';
import { bulkField } from '../../components/bulk/bulk-fields.tsx';
import type { Session } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { webhooksKey } from './queries.ts';
import { mayHear, type WebhookEvent, webhookEvents } from './words.ts';

/** What can be done with several webhooks at once. */
export const webhookBulk = (appId: string, apps: Session['apps']): Bulk => ({
  kind: 'webhooks',
  change: 'changeWebhook',
  remove: 'deleteWebhook',
  goneText: t('They are no longer called. The lists of their calls are deleted too, and waiting calls are not sent.'),
  seen: ['url', 'events', 'description', 'enabled', 'buckets', 'withoutAnswer'],
  hasSwitch: 'enabled',
  offText: t('They are not called until they are switched on again, and calls that are waiting are not sent.'),
  fields: [
    bulkField<readonly WebhookEvent[]>({
      label: t('Events'),
      path: ['events'],
      start: [],
      control: ({ label, value, onChange, error }) => (
        <Checkbox.Group
          label={label}
          error={error}
          value={[...value]}
          onChange={(chosen) => onChange(webhookEvents.filter((event) => chosen.includes(event)))}
        >
          <Stack gap="xs" my="xs">
            {webhookEvents
              .filter((event) => mayHear(apps, event))
              .map((event) => (
                <Checkbox key={event} value={event} label={<span className="mono">{event}</span>} />
              ))}
          </Stack>
        </Checkbox.Group>
      ),
      read: (events) => (events.length === 0 ? undefined : { value: events }),
      textOf: (events) => (events as readonly string[]).join(', '),
    }),
  ],
  refresh: [webhooksKey(appId)],
});
