import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import type { ManagedKind } from '../../managed-kind.ts';
import type { FindRecordHook } from '../../record-hooks.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { webhookConsoleEndpoints } from './console-routes.ts';
import { createWebhookHandler } from './deliver.ts';
import { WebhookDirectory } from './directory.ts';
import { createRecordHooks } from './hooks/record-hooks.ts';
import { webhookKinds } from './many.ts';
import { createWebhookPublisher, type WebhookPublisher, webhookJob } from './publish.ts';
import { WebhookService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    /** The webhooks to ask before a record of a bucket changes. */
    readonly recordHook: FindRecordHook;
    readonly webhookBacklog: Backlog;
    readonly webhookDirectory: WebhookDirectory;
    readonly webhookKinds: Readonly<Record<'changeWebhook' | 'deleteWebhook', ManagedKind>>;
    readonly webhookPublisher: WebhookPublisher;
    readonly webhooks: WebhookService;
  }
}

export const makers: Makers<
  Context,
  'recordHook' | 'webhookBacklog' | 'webhookDirectory' | 'webhookKinds' | 'webhookPublisher' | 'webhooks'
> = {
  recordHook: ({ db, now, secrets, targets, inBackground, webhookDirectory: directory }) =>
    createRecordHooks({ db, now, secrets, targets, inBackground, directory }),
  webhookBacklog: ({ db, now, config, inBackground }) =>
    createBacklog({
      ...{ db, now, maxWaiting: config.webhookBacklog },
      run: (work) => inBackground('giving up calls of a webhook', work),
    }),
  webhookDirectory: ({ cacheVersion }) => new WebhookDirectory(cacheVersion),
  webhookKinds: ({ webhooks }) => webhookKinds(webhooks),
  webhookPublisher: ({ webhookDirectory: directory, now, enqueue, webhookBacklog: backlog, conceal }) =>
    createWebhookPublisher({ directory, now, enqueue, backlog, conceal }),
  webhooks: ({ db, cacheVersion, now, enqueue, secrets, targets, holdReach }) =>
    new WebhookService({ db, cacheVersion, now, enqueue, secrets, targets, holdReach }),
};

/** Calls to other services when something happens. */
export function webhookFeature(context: Context): Feature {
  const { db, cacheVersion, now, secrets, targets, webhooks: service, appsWith } = context;
  return {
    consoleEndpoints: webhookConsoleEndpoints(service),
    jobs: { [webhookJob]: createWebhookHandler({ db, cacheVersion, now, secrets, targets }) },
    sweeps: { 'purging old webhook deliveries': () => service.sweep(appsWith) },
  };
}
