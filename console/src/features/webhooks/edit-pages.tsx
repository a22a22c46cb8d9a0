import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { NewPage, RecordPage } from '../../components/page/page-header.tsx';
import { t } from '../../lib/words/words.ts';
import { webhookQuery } from './queries.ts';
import { SigningSecretDialog } from './secret-dialog.tsx';
import { type SavedWebhook, WebhookForm } from './webhook-form.tsx';

const createRoute = getRouteApi('/signed-in/apps/$appId/webhooks/new');
const editRoute = getRouteApi('/signed-in/apps/$appId/webhooks/$webhookId/edit');

export function NewWebhookPage() {
  const { appId } = createRoute.useParams();
  const { from } = createRoute.useSearch();
  const navigate = useNavigate();
  const [made, setMade] = useState<SavedWebhook>();
  return (
    <>
      <NewPage
        title={t('Add a webhook')}
        from={from}
        modelOf={(id) => webhookQuery(appId, id)}
        note={t('The signing secret is not copied: the new webhook gets one of its own, which is shown once.')}
      >
        {(copied) => (
          <WebhookForm
            appId={appId}
            {...copied}
            onDone={setMade}
            onCancel={() => void navigate({ to: '/apps/$appId/webhooks', params: { appId } })}
          />
        )}
      </NewPage>
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
      {(webhook) => <WebhookForm key={webhook.objectId} appId={appId} record={webhook} onDone={open} onCancel={open} />}
    </RecordPage>
  );
}
