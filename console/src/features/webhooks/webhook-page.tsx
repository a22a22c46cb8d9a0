import { Alert, Badge, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { useDeleteAsShown } from '../../components/dialogs/use-delete-as-shown.ts';
import { Block, Icon } from '../../components/page/blocks.tsx';
import { Fact, Facts, TimeFact } from '../../components/page/facts.tsx';
import { EditOrDelete, RecordPage } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Webhook } from '../../lib/wire.ts';
import { listed, rich, t } from '../../lib/words/words.ts';
import { CallsBlock } from './calls.tsx';
import { webhookQuery, webhooksKey } from './queries.ts';
import { SecretBlock } from './secret-block.tsx';
import { TestBlock } from './test-block.tsx';
import { WebhookSwitch } from './webhook-switch.tsx';
import { isAsked, webhookHealth, webhookTrouble } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId');

export function WebhookPage() {
  const { appId, webhookId } = route.useParams();
  const query = useQuery(webhookQuery(appId, webhookId));
  const mayWrite = useMay()('webhooks.write');
  const edit = { to: '/apps/$appId/webhooks/$webhookId/edit', params: { appId, webhookId } };
  const copy = { to: '/apps/$appId/webhooks/new', params: { appId }, from: webhookId };
  return (
    <RecordPage
      query={query}
      title={(webhook) => webhook?.description || t('Webhook')}
      all={{ label: t('All webhooks'), to: '/apps/$appId/webhooks', params: { appId } }}
      action={(webhook) =>
        mayWrite && (
          <EditOrDelete edit={edit} copy={copy} deletion={<DeleteWebhook appId={appId} webhook={webhook} />} />
        )
      }
    >
      {(webhook) => (
        <>
          <WebhookFacts appId={appId} webhook={webhook} />
          {mayWrite && <TestBlock appId={appId} webhookId={webhookId} />}
          {mayWrite && <SecretBlock appId={appId} webhookId={webhookId} />}
          <CallsBlock appId={appId} webhookId={webhookId} />
        </>
      )}
    </RecordPage>
  );
}

function WebhookFacts({ appId, webhook }: { readonly appId: string; readonly webhook: Webhook }) {
  const times = useTimes(appId);
  const { label, color } = webhookHealth(webhook);
  const trouble = webhookTrouble(webhook, times.dateTime);
  return (
    <Block title={t('Facts')} about={t('Times are in {zone}.', { zone: times.zone })}>
      {trouble && (
        <Alert color={color} icon={<Icon name="warning" />} mb="md">
          {trouble}
        </Alert>
      )}
      <Facts>
        <Fact label={t('Address')} isWide>
          <span className="mono">{webhook.url}</span>
          <CopyButton text={webhook.url} label={t('address')} />
        </Fact>
        <Fact label={t('Events')}>{webhook.events.join(', ')}</Fact>
        {isAsked(webhook.events) && (
          <>
            <Fact label={t('Asked about')}>
              {webhook.buckets.length === 0 ? t('All buckets') : listed(webhook.buckets)}
            </Fact>
            <Fact label={t('Without an answer')}>
              {webhook.withoutAnswer === 'allow' ? t('Changes are stored') : t('Changes are refused')}
            </Fact>
          </>
        )}
        <Fact label={t('Condition')}>
          <Badge color={color}>{label}</Badge>
        </Fact>
        <Fact label={t('Waiting')}>
          {t('{waiting, plural, one {1 call} other {# calls}}', { waiting: webhook.waiting })}
        </Fact>
        <TimeFact label={t('Created')}>{times.dateTime(webhook.createdAt)}</TimeFact>
        <TimeFact label={t('Changed')}>{times.dateTime(webhook.updatedAt)}</TimeFact>
      </Facts>
      <Group mt="md">
        <WebhookSwitch appId={appId} webhook={webhook} text={t('On')} />
      </Group>
    </Block>
  );
}

function DeleteWebhook({ appId, webhook }: { readonly appId: string; readonly webhook: Webhook }) {
  const { objectId: webhookId, url, description } = webhook;
  const params = { appId, webhookId };
  const remove = useDeleteAsShown<Webhook>({
    name: description || url,
    shown: webhook,
    members: ['url', 'events', 'description', 'enabled', 'buckets', 'withoutAnswer'],
    read: async () => (await call('getWebhook', { params })).result,
    send: (ifMatch) => call('deleteWebhook', { params, ifMatch }),
    refresh: [webhooksKey(appId)],
  });
  return (
    <Deletion
      title={t('Delete the webhook')}
      run={remove}
      done={t('The webhook was deleted.')}
      refresh={[webhooksKey(appId)]}
      leave={{ to: '/apps/$appId/webhooks', params: { appId }, forget: webhookQuery(appId, webhookId).queryKey }}
    >
      {rich('{url} is no longer called. The list of its calls is deleted too, and waiting calls are not sent.', {
        url: <b className="mono">{url}</b>,
      })}
    </Deletion>
  );
}
