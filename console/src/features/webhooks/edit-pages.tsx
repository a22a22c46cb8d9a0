import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { webhookQuery } from './queries.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { type SavedWebhook, WebhookForm } from './webhook-form.tsx';

const createRoute = getRouteApi('/signed-in/apps/$appId/webhooks/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId/edit');

export function NewWebhookPage() {
  const { appId } = createRoute.useParams();
  const navigate = useNavigate();
  const [made, setMade] = useState<SavedWebhook>();
  return (
    <>
      <SectionHeader title="Add a webhook" />
      <WebhookForm
        appId={appId}
        onDone={setMade}
        onCancel={() => void navigate({ to: '/apps/$appId/webhooks', params: { appId } })}
      />
      <SecretDialog
        secret={made?.secret}
        onClose={() =>
          made &&
          void navigate({
            to: '/apps/$appId/webhooks/$webhookId',
            params: { appId, webhookId: made.objectId },
            // Going back would bring the empty form, as if nothing had been made.
            replace: true,
          })
        }
      />
    </>
  );
}

export function EditWebhookPage() {
  const { appId, webhookId } = editRoute.useParams();
  const { data: webhook, error } = useQuery(webhookQuery(appId, webhookId));
  const navigate = useNavigate();
  const open = () => void navigate({ to: '/apps/$appId/webhooks/$webhookId', params: { appId, webhookId } });
  return (
    <>
      <SectionHeader title="Change a webhook" />
      <FailureNote message={error?.message} />
      {!webhook && !error && <Skeleton h={300} />}
      {webhook && <WebhookForm key={webhook.updatedAt} appId={appId} webhook={webhook} onDone={open} onCancel={open} />}
    </>
  );
}
