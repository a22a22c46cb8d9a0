import { Checkbox, Stack, TextInput } from '@mantine/core';
import { PageForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/block.tsx';
import { useSession } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import type { Operations, Webhook } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { webhooksKey } from './queries.ts';
import { mayHear, type WebhookEvent, webhookEvents, webhookEventTexts } from './words.ts';

/** The saved webhook; a new one comes with its secret. */
export interface SavedWebhook {
  readonly objectId: string;
  readonly secret?: string;
}

interface Props {
  readonly appId: string;
  /** The webhook to edit; without it, a new one is created. */
  readonly webhook?: Webhook;
  /** The one to copy. */
  readonly model?: Webhook;
  readonly onDone: (saved: SavedWebhook) => void;
  readonly onCancel: () => void;
}

const fields = ['url', 'description', 'events', 'events.'] as const;

type NewWebhook = Operations['createWebhook']['body'];

interface WebhookFields {
  readonly url: string;
  readonly description: string;
  readonly events: readonly WebhookEvent[];
}

const fieldsOf = (webhook?: Webhook): WebhookFields => ({
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  events: webhook?.events ?? [],
});

const bodyOf = ({ url, description, events }: WebhookFields) => ({
  url: url.trim(),
  description: description.trim(),
  events,
});

/** The same calls once more; the secret is its own. */
const copyOf = (model: Webhook): WebhookFields => ({
  ...fieldsOf(model),
  description: copyName(model.description),
});

export function WebhookForm({ appId, webhook, model, onDone, onCancel }: Props) {
  const params = { appId, webhookId: webhook?.objectId ?? '' };
  const shared = useRecordForm<Webhook, WebhookFields, SavedWebhook>({
    name: `webhook ${webhook?.objectId ?? `new ${appId}`}`,
    record: webhook,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf,
    bodyOf,
    check: ({ events }) => (events.length === 0 ? [{ field: 'events', problem: t('choose at least one event') }] : []),
    read: async () => (await call('getWebhook', { params })).result,
    change: async (members, ifMatch) => (await call('changeWebhook', { params, body: members, ifMatch })).result,
    create: async (body) => (await call('createWebhook', { params, body: body as NewWebhook })).result,
    done: webhook ? t('The webhook is saved.') : undefined,
    refresh: [webhooksKey(appId)],
    after: (saved) => onDone(saved ?? { objectId: params.webhookId }),
    labels: { url: t('Address'), description: t('Description'), events: t('Events') },
  });
  const { form, submit, isBusy } = shared;
  const { apps } = useSession();
  const offered = webhookEvents.filter((event) => mayHear(apps, event) || form.values.events.includes(event));
  return (
    <PageForm
      form={form}
      names={fields}
      submit={webhook ? t('Save') : t('Add the webhook')}
      isBusy={isBusy}
      shared={shared}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Block title={t('Details')}>
        <Stack gap="md">
          <TextInput
            label={t('Address')}
            description={t('The URL of your server, preferably https. Each event is sent as a POST request with JSON.')}
            placeholder="https://example.org/pharos"
            type="url"
            required
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            {...form.text('url')}
          />
          <TextInput
            label={t('Description')}
            description={t('What the webhook is for.')}
            {...form.text('description')}
          />
          <Checkbox.Group
            label={t('Events')}
            description={t('The server is called for each of these events.')}
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
              {offered.map((event) => (
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
