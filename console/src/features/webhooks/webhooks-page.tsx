import { Badge, Checkbox, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BulkBar } from '../../components/bulk/bulk-bar.tsx';
import { Row } from '../../components/list/row-list.tsx';
import { SectionRows } from '../../components/list/section-rows.tsx';
import { TextLink } from '../../components/names/names.tsx';
import { LinkButton } from '../../components/page/blocks.tsx';
import { useAppId, useMay, useSession } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Webhook } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { webhooksQuery } from './queries.ts';
import { webhookBulk } from './webhook-bulk.tsx';
import { WebhookSwitch } from './webhook-switch.tsx';
import { webhookHealth, webhookTrouble } from './words.ts';

/** Servers that are called when something happens in the app. */
export function WebhooksPage() {
  const appId = useAppId();
  const { data, error } = useQuery(webhooksQuery(appId));
  const mayWrite = useMay()('webhooks.write');
  const { apps } = useSession();
  const times = useTimes(appId);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Webhook>>(new Map());
  const choose = (webhook: Webhook, isChosen: boolean) => {
    const others = [...chosen].filter(([id]) => id !== webhook.objectId);
    setChosen(new Map(isChosen ? [...others, [webhook.objectId, webhook]] : others));
  };
  return (
    <SectionRows
      title={t('Webhooks')}
      about={t('Your own servers, called as soon as something happens in the app. Times are in {zone}.', {
        zone: times.zone,
      })}
      action={
        mayWrite && (
          <LinkButton to="/apps/$appId/webhooks/new" params={{ appId }} icon="plus">
            {t('Add a webhook')}
          </LinkButton>
        )
      }
      above={
        mayWrite && (
          <BulkBar
            appId={appId}
            bulk={webhookBulk(appId, apps)}
            chosen={chosen}
            onChosen={(ids) => setChosen(new Map([...chosen].filter(([id]) => ids.includes(id))))}
          />
        )
      }
      rows={data}
      error={error}
      label={t('Webhooks')}
      height={160}
      empty={{
        icon: 'link',
        title: t('No webhooks yet'),
        text: t(
          'Add the address of a server and choose its events: visitors coming and going, messages shown, pushes completed. Each call is signed, and retried for a day if the server does not answer.',
        ),
      }}
    >
      {(webhook) => (
        <WebhookRow
          key={webhook.objectId}
          appId={appId}
          webhook={webhook}
          isChosen={chosen.has(webhook.objectId)}
          onChoose={mayWrite ? (isChosen) => choose(webhook, isChosen) : undefined}
        />
      )}
    </SectionRows>
  );
}

interface RowProps {
  readonly appId: string;
  readonly webhook: Webhook;
  readonly isChosen: boolean;
  /** Undefined for whoever may not change them. */
  readonly onChoose: ((isChosen: boolean) => void) | undefined;
}

function WebhookRow({ appId, webhook, isChosen, onChoose }: RowProps) {
  const { objectId: webhookId, url, events, description } = webhook;
  const times = useTimes(appId);
  const { label, color } = webhookHealth(webhook);
  const trouble = webhookTrouble(webhook, times.dateTime);
  return (
    <Row
      title={
        <TextLink to="/apps/$appId/webhooks/$webhookId" params={{ appId, webhookId }}>
          {description || url}
        </TextLink>
      }
      before={
        onChoose && (
          <Checkbox
            aria-label={t('Choose {name}', { name: description || url })}
            checked={isChosen}
            onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
          />
        )
      }
      facts={[description && <span className="mono">{url}</span>, events.join(', ')]}
      tools={
        <>
          <Badge color={color}>{label}</Badge>
          <WebhookSwitch appId={appId} webhook={webhook} />
        </>
      }
    >
      {trouble && <Text mt={4}>{trouble}</Text>}
    </Row>
  );
}
