import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import type { ManagedKind } from '../../managed-kind.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { webhookConsoleEndpoints } from './console-routes.ts';
import { createWebhookHandler } from './deliver.ts';
import { webhookKinds } from './many.ts';
import { createWebhookPublisher, type WebhookPublisher, webhookJob } from './publish.ts';
import { WebhookService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    readonly webhookBacklog: Backlog;
    readonly webhookKinds: Readonly<Record<'changeWebhook' | 'deleteWebhook', ManagedKind>>;
    readonly webhookPublisher: WebhookPublisher;
    readonly webhooks: WebhookService;
  }
}

export const makers: Makers<Context, 'webhookBacklog' | 'webhookKinds' | 'webhookPublisher' | 'webhooks'> = {
  webhookBacklog: ({ db, now, config, inBackground }) =>
    createBacklog({
      ...{ db, now, maxWaiting: config.webhookBacklog },
      run: (work) => inBackground('giving up calls of a webhook', work),
    }),
  webhookKinds: ({ webhooks }) => webhookKinds(webhooks),
  webhookPublisher: ({ cacheVersion, now, enqueue, webhookBacklog: backlog, conceal }) =>
    createWebhookPublisher({ cacheVersion, now, enqueue, backlog, conceal }),
  webhooks: ({ db, cacheVersion, now, enqueue, secrets, targets, holdReach }) =>
    new WebhookService({ db, cacheVersion, now, enqueue, secrets, targets, holdReach }),
};

/** Calls to other services when something happens. */
export function webhookFeature(context: Context): Feature {
  const { db, cacheVersion, now, secrets, targets, webhooks: service, assertApp, appsWith } = context;
  return {
    consoleEndpoints: webhookConsoleEndpoints({ service, assertApp }),
    jobs: { [webhookJob]: createWebhookHandler({ db, cacheVersion, now, secrets, targets }) },
    sweeps: { 'purging old webhook deliveries': () => service.sweep(appsWith) },
  };
}
