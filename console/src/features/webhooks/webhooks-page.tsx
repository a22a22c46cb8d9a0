import { Badge, Button, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import blocks from '../../components/page/blocks.module.css';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import names from '../../components/page/names.module.css';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { useMay } from '../../lib/data/access.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { Webhook } from '../../lib/wire.ts';
import { webhooksQuery } from './queries.ts';
import { WebhookSwitch } from './webhook-switch.tsx';
import { conditionOf, troubleOf } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/webhooks');

/** The servers that are told what happens in the app. */
export function WebhooksPage() {
  const { appId } = route.useParams();
  const { data, error } = useQuery(webhooksQuery(appId));
  const mayWrite = useMay()('webhooks.write');
  const times = useTimes(appId);
  const add = mayWrite && (
    <Button
      leftSection={<Icon name="plus" size={16} />}
      component={Link}
      to="/apps/$appId/webhooks/new"
      params={{ appId } as never}
    >
      Add a webhook
    </Button>
  );
  return (
    <>
      <SectionHeader title="Webhooks" action={data && data.length > 0 && add}>
        Servers of your own that are told what happens here, as it happens. Times are in {times.zone}.
      </SectionHeader>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={160} />}
      {data?.length === 0 && (
        <EmptyState icon="link" title="No webhook yet" action={add}>
          Add the address of a server, and choose what it is told: who comes and goes, which messages are shown, and
          when a push is done. Each call is signed, and tried again for a day when the server does not answer.
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ul className={blocks.rows} aria-label="Webhooks">
          {data.map((webhook) => (
            <Row key={webhook.objectId} appId={appId} webhook={webhook} />
          ))}
        </ul>
      )}
    </>
  );
}

function Row({ appId, webhook }: { readonly appId: string; readonly webhook: Webhook }) {
  const { objectId: webhookId, url, events, description } = webhook;
  const times = useTimes(appId);
  const { label, color } = conditionOf(webhook);
  const trouble = troubleOf(webhook, times.dateTime);
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.grow}>
        <div className={blocks.title}>
          <Link to="/apps/$appId/webhooks/$webhookId" params={{ appId, webhookId }} className={names.link}>
            {description || url}
          </Link>
        </div>
        <div className={blocks.meta}>
          {description && <span className="mono">{url}</span>}
          <span>{events.join(', ')}</span>
        </div>
        {trouble && (
          <Text size="sm" mt={4}>
            {trouble}
          </Text>
        )}
      </div>
      <div className={blocks.tools}>
        <Badge color={color} variant="light" tt="none" miw="max-content">
          {label}
        </Badge>
        <WebhookSwitch appId={appId} webhook={webhook} />
      </div>
    </li>
  );
}
