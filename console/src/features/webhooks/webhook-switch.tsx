import { EnableSwitch } from '../../components/form/enable-switch.tsx';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import type { Webhook } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { webhooksKey } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly webhook: Webhook;
  /** Beside it. */
  readonly text?: string;
}

export function WebhookSwitch({ appId, webhook: { objectId: webhookId, url, description, enabled }, text }: Props) {
  const mayWrite = useMay()('webhooks.write');
  return (
    <EnableSwitch
      label={t('{description} is switched on', { description: description || url })}
      name={description || url}
      {...(text ? { text } : {})}
      isOn={enabled}
      isLocked={!mayWrite}
      onChange={(isOn) => call('changeWebhook', { params: { appId, webhookId }, body: { enabled: isOn } })}
      refresh={[webhooksKey(appId)]}
    />
  );
}
