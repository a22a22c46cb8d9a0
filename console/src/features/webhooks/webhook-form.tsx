import { Checkbox, MultiSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageForm } from '../../components/form/page-form.tsx';
import { type RecordFormProps, useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { useSession } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import type { Operations, Webhook } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { webhooksKey } from './queries.ts';
import { isAsked, mayHear, type WebhookEvent, webhookEvents, webhookEventTexts } from './words.ts';

/** The saved webhook; a new one comes with its secret. */
export interface SavedWebhook {
  readonly objectId: string;
  readonly secret?: string;
}

const fields = ['url', 'description', 'events', 'events.', 'buckets', 'withoutAnswer'] as const;

type NewWebhook = Operations['createWebhook']['body'];

interface WebhookFields {
  readonly url: string;
  readonly description: string;
  readonly events: readonly WebhookEvent[];
  readonly buckets: readonly string[];
  readonly withoutAnswer: Webhook['withoutAnswer'];
}

const fieldsOf = (webhook?: Webhook): WebhookFields => ({
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  events: webhook?.events ?? [],
  buckets: webhook?.buckets ?? [],
  withoutAnswer: webhook?.withoutAnswer ?? 'refuse',
});

const bodyOf = ({ url, description, ...others }: WebhookFields) => ({
  url: url.trim(),
  description: description.trim(),
  ...others,
});

/** A copy gets a secret of its own. */
const copyOf = (model: Webhook): WebhookFields => ({
  ...fieldsOf(model),
  description: copyName(model.description),
});

export function WebhookForm({
  appId,
  record: webhook,
  model,
  onDone,
  onCancel,
}: RecordFormProps<Webhook, SavedWebhook>) {
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
    labels: {
      url: t('Address'),
      description: t('Description'),
      events: t('Events'),
      buckets: t('Buckets'),
      withoutAnswer: t('Without an answer'),
    },
  });
  const { form } = shared;
  const { apps } = useSession();
  const offered = webhookEvents.filter((event) => mayHear(apps, event) || form.values.events.includes(event));
  return (
    <PageForm shared={shared} names={fields} submit={webhook ? t('Save') : t('Add the webhook')} onCancel={onCancel}>
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
      {isAsked(form.values.events) && <AskingFields appId={appId} values={form.values} set={form.set} />}
    </PageForm>
  );
}

interface AskingProps {
  readonly appId: string;
  readonly values: Pick<WebhookFields, 'buckets' | 'withoutAnswer'>;
  readonly set: <K extends keyof AskingProps['values']>(name: K, value: WebhookFields[K]) => void;
}

/** Of a webhook that is asked before records change. */
function AskingFields({ appId, values, set }: AskingProps) {
  const { data: buckets = [] } = useQuery(bucketsQuery(appId));
  const names = new Set([...buckets.map(({ name }) => name), ...values.buckets]);
  return (
    <Block title={t('Before records are stored')}>
      <Stack gap="md">
        <MultiSelect
          label={t('Buckets')}
          description={t('About whose records the server is asked. Empty: those of all buckets.')}
          data={[...names]}
          value={[...values.buckets]}
          onChange={(chosen) => set('buckets', chosen)}
          searchable
          hidePickedOptions
          clearable
        />
        <Radio.Group
          label={t('Without an answer')}
          description={t('If the server has not answered after five seconds, or with something that cannot be read.')}
          value={values.withoutAnswer}
          onChange={(value) => set('withoutAnswer', value as WebhookFields['withoutAnswer'])}
        >
          <Stack gap="xs" my="xs">
            <Radio value="refuse" label={t('Nothing is stored, and the app is asked to try again')} />
            <Radio value="allow" label={t('The record is stored as the app has sent it')} />
          </Stack>
        </Radio.Group>
      </Stack>
    </Block>
  );
}
