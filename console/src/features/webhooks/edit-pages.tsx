import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { RecordPage } from '../../components/page/record-page.tsx';
import { t } from '../../lib/words/words.ts';
import { webhookQuery } from './queries.ts';
import { SigningSecretDialog } from './secret-dialog.tsx';
import { type SavedWebhook, WebhookForm } from './webhook-form.tsx';

const createRoute = getRouteApi('/signed-in/apps/$appId/webhooks/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId/edit');

export function NewWebhookPage() {
  const { appId } = createRoute.useParams();
  const navigate = useNavigate();
  const [made, setMade] = useState<SavedWebhook>();
  return (
    <>
      <SectionHeader title={t('Add a webhook')} />
      <WebhookForm
        appId={appId}
        onDone={setMade}
        onCancel={() => void navigate({ to: '/apps/$appId/webhooks', params: { appId } })}
      />
      <SigningSecretDialog
        secret={made?.secret}
        onClose={() =>
          made &&
          void navigate({
            to: '/apps/$appId/webhooks/$webhookId',
            params: { appId, webhookId: made.objectId },
            // Otherwise the back button would lead to the empty form.
            replace: true,
          })
        }
      />
    </>
  );
}

export function EditWebhookPage() {
  const { appId, webhookId } = editRoute.useParams();
  const query = useQuery(webhookQuery(appId, webhookId));
  const navigate = useNavigate();
  const open = () => void navigate({ to: '/apps/$appId/webhooks/$webhookId', params: { appId, webhookId } });
  return (
    <RecordPage query={query} title={() => t('Edit the webhook')} height={300}>
      {(webhook) => (
        <WebhookForm key={webhook.objectId} appId={appId} webhook={webhook} onDone={open} onCancel={open} />
      )}
    </RecordPage>
  );
}
