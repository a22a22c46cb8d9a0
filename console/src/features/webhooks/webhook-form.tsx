import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import type { Webhook } from '../../lib/wire.ts';
import { webhooksKey } from './queries.ts';
import { eventWords, type WebhookEvent, webhookEvents } from './words.ts';

/** What was saved; a new one comes with its secret. */
export interface SavedWebhook {
  readonly objectId: string;
  readonly secret?: string;
}

interface Props {
  readonly appId: string;
  /** The one to change; without it a new one is made. */
  readonly webhook?: Webhook;
  readonly onDone: (saved: SavedWebhook) => void;
  readonly onCancel: () => void;
}

const fields = ['url', 'description', 'events', 'events.'] as const;

export function WebhookForm({ appId, webhook, onDone, onCancel }: Props) {
  const form = useFields({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    events: webhook?.events ?? ([] as readonly WebhookEvent[]),
  });
  const save = useAction({
    run: async (): Promise<SavedWebhook> => {
      const { url, description, events } = form.values;
      const body = { url: url.trim(), description: description.trim(), events };
      if (!webhook) return (await call('createWebhook', { params: { appId }, body })).result;
      return (await call('changeWebhook', { params: { appId, webhookId: webhook.objectId }, body })).result;
    },
    done: webhook ? 'The webhook is saved.' : undefined,
    refresh: [webhooksKey(appId)],
    showsError: true,
    after: onDone,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (form.values.events.length === 0) {
      form.setProblems([{ field: 'events', problem: 'choose at least one event' }]);
      return;
    }
    form.setFailure(null);
    save.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <form onSubmit={submit} noValidate>
      <FailureNote message={form.rest(fields)} />
      <Block title="Where and what">
        <Stack gap="md">
          <TextInput
            label="Address"
            description="Of your server, better with https. Each event is sent there as a POST with JSON."
            placeholder="https://example.org/pharos"
            type="url"
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.text('url')}
          />
          <TextInput label="Description" description="What it is for, for people." {...form.text('description')} />
          <Checkbox.Group
            label="Events"
            description="It is called for each of these."
            required
            value={[...form.values.events]}
            error={form.problemWithin('events')}
            onChange={(chosen) =>
              form.set(
                'events',
                webhookEvents.filter((event) => chosen.includes(event)),
              )
            }
          >
            <Stack gap="xs" my="xs">
              {webhookEvents.map((event) => (
                <Checkbox
                  key={event}
                  value={event}
                  label={<span className="mono">{event}</span>}
                  description={eventWords[event]}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      </Block>
      <Group mt="lg">
        <Button type="submit" loading={save.isPending}>
          {webhook ? 'Save' : 'Add the webhook'}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
