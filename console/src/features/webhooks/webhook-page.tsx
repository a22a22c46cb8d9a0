import { Alert, Badge, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { ChangeOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Webhook } from '../../lib/wire.ts';
import { CallsBlock } from './calls.tsx';
import { webhookQuery, webhooksKey } from './queries.ts';
import { SecretBlock } from './secret-block.tsx';
import { TestBlock } from './test-block.tsx';
import { WebhookSwitch } from './webhook-switch.tsx';
import { conditionOf, troubleOf } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId');

export function WebhookPage() {
  const { appId, webhookId } = route.useParams();
  const query = useQuery(webhookQuery(appId, webhookId));
  const [isDeleting, setDeleting] = useState(false);
  const mayWrite = useMay()('webhooks.write');
  const change = { to: '/apps/$appId/webhooks/$webhookId/edit', params: { appId, webhookId } };
  return (
    <RecordPage
      query={query}
      title={(webhook) => webhook?.description || 'Webhook'}
      all={{ label: 'All webhooks', to: '/apps/$appId/webhooks', params: { appId } }}
      action={() => mayWrite && <ChangeOrDelete change={change} onDelete={() => setDeleting(true)} />}
    >
      {(webhook) => (
        <>
          <WebhookFacts appId={appId} webhook={webhook} />
          {mayWrite && <TestBlock appId={appId} webhookId={webhookId} />}
          {mayWrite && <SecretBlock appId={appId} webhookId={webhookId} />}
          <CallsBlock appId={appId} webhookId={webhookId} />
          <DeleteWebhook appId={appId} webhook={webhook} isOpen={isDeleting} onClose={() => setDeleting(false)} />
        </>
      )}
    </RecordPage>
  );
}

function WebhookFacts({ appId, webhook }: { readonly appId: string; readonly webhook: Webhook }) {
  const times = useTimes(appId);
  const { label, color } = conditionOf(webhook);
  const trouble = troubleOf(webhook, times.dateTime);
  return (
    <Block title="Facts" about={`Times are in ${times.zone}.`}>
      {trouble && (
        <Alert color={color} variant="light" icon={<Icon name="warning" />} mb="md">
          {trouble}
        </Alert>
      )}
      <Facts>
        <Fact label="Address" isWide>
          <span className="mono">{webhook.url}</span>
          <CopyButton text={webhook.url} label="address" />
        </Fact>
        <Fact label="Events">{webhook.events.join(', ')}</Fact>
        <Fact label="How it does">
          <Badge color={color} variant="light" tt="none">
            {label}
          </Badge>
        </Fact>
        <Fact label="Waiting">
          {webhook.waiting === 1 ? '1 call' : `${webhook.waiting.toLocaleString('en')} calls`}
        </Fact>
        <Fact label="Created" isTime>
          {times.dateTime(webhook.createdAt)}
        </Fact>
        <Fact label="Changed" isTime>
          {times.dateTime(webhook.updatedAt)}
        </Fact>
      </Facts>
      <Group mt="md">
        <WebhookSwitch appId={appId} webhook={webhook} text="Switched on" />
      </Group>
    </Block>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly webhook: Webhook;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteWebhook({ appId, webhook: { objectId: webhookId, url }, isOpen, onClose }: DeleteProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useAction({
    run: () => call('deleteWebhook', { params: { appId, webhookId } }),
    done: 'The webhook is deleted.',
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/webhooks', params: { appId } });
      queries.removeQueries({ queryKey: webhookQuery(appId, webhookId).queryKey });
      await queries.invalidateQueries({ queryKey: webhooksKey(appId) });
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the webhook"
      confirm="Delete the webhook"
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      <b className="mono">{url}</b> is not called any more. The list of its calls goes too, and what still waits is not
      sent.
    </ConfirmDialog>
  );
}
