import { Checkbox, Stack, TextInput } from '@mantine/core';
import { PageForm } from '../../components/form/page-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { Block } from '../../components/page/block.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import type { Webhook } from '../../lib/wire.ts';
import { webhooksKey } from './queries.ts';
import { type WebhookEvent, webhookEvents, webhookEventTexts } from './words.ts';

/** The saved webhook; a new one comes with its secret. */
export interface SavedWebhook {
  readonly objectId: string;
  readonly secret?: string;
}

interface Props {
  readonly appId: string;
  /** The webhook to edit; without it, a new one is created. */
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
  function submit() {
    if (form.values.events.length === 0) {
      form.setProblems([{ field: 'events', problem: 'choose at least one event' }]);
      return;
    }
    form.setFailure(null);
    save.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <PageForm
      form={form}
      names={fields}
      submit={webhook ? 'Save' : 'Add the webhook'}
      isBusy={save.isPending}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Block title="Details">
        <Stack gap="md">
          <TextInput
            label="Address"
            description="The URL of your server, preferably https. Each event is sent as a POST request with JSON."
            placeholder="https://example.org/pharos"
            type="url"
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.text('url')}
          />
          <TextInput label="Description" description="What the webhook is for." {...form.text('description')} />
          <Checkbox.Group
            label="Events"
            description="The server is called for each of these events."
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
                  description={webhookEventTexts[event]}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      </Block>
    </PageForm>
  );
}
