import { type Actor, recordChange } from '../../../access/audit.ts';
import type { Reach } from '../../../access/reach.ts';
import { fail, invalid } from '../../../base/errors.ts';
import { firstIdAt, newObjectId } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { deleteInSteps } from '../../../db/delete-in-steps.ts';
import { lockName } from '../../../db/nodes/lock-name.ts';
import type { TargetRules } from '../../../delivery/provider/target-rules.ts';
import { newWebhookSecret } from '../../../delivery/webhooks/webhook-signature.ts';
import { isoTime } from '../../../http/answers.ts';
import { type AssertUnchanged, entityTag } from '../../../resources/entity-tag.ts';
import type { Context } from '../../context.ts';
import type { AppsWith } from '../../feature.ts';
import { isRecordEvent } from '../../record-hooks.ts';
import { callWebhook, secretContext } from './deliver.ts';
import { renderPayload, timeToLiveMs, webhookJob } from './publish.ts';
import type { WebhookFields } from './schemas.ts';
import { hearsOfService } from './service-alerts.ts';
import * as store from './store.ts';
import { webhookDeliveries, webhooks } from './tables.ts';
import { askingOf, deliveryView, disabledBy, healthOf, webhookView } from './views.ts';

/**
 * The address in its stored form.
 *
 * @throws Failure ValidationError that says what is wrong with it
 */
async function readWebhookUrl(text: string, targets: TargetRules): Promise<string> {
  const problem = problemOf(text) ?? (await targetProblem(text, targets));
  if (problem === undefined) return new URL(text).href;
  throw invalid('url', problem);
}

function problemOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'must be an address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or password; check the signature instead';
  if (url.hash !== '') return 'must not have a part after #, which is never sent';
  if (url.port === '0') return 'must not have the port 0';
  return undefined;
}

async function targetProblem(text: string, targets: TargetRules): Promise<string | undefined> {
  const refusal = await targets.refusal(new URL(text).hostname);
  return (
    refusal &&
    `cannot be called: ${refusal}. The operator can allow hosts of their own network with PHAROS_PRIVATE_TARGETS`
  );
}

export interface WebhookDeps
  extends Pick<Context, 'db' | 'cacheVersion' | 'now' | 'enqueue' | 'secrets' | 'targets' | 'holdReach'> {
  readonly timeoutMs?: number;
}

const dayMs = 86_400_000;
/** A replaced secret still signs beside the new one, so that the receiver can switch over. */
const oldSecretMs = dayMs;
/** Days for which deliveries are kept. */
export const deliveryDays = 7;
const keptMs = deliveryDays * dayMs;
const maxPerApp = 20;
const stepSize = 500;
const nothingGivenUp = { given_up: 0, given_up_since: null, given_up_at: null } as const;

interface Removing {
  /** Whom the audit names; undefined where somebody else writes the entry. */
  readonly by: Actor | undefined;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

interface Changing extends Removing {
  readonly who: Choosing;
}

/** The administrator who chooses the events. */
export interface Choosing {
  readonly email: string;
  /** The apps and venues in which the role applies. */
  readonly reach: Reach;
}

export interface DeliveryKey {
  readonly appId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
}

export class WebhookService {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  async get(appId: string, webhookId: string) {
    const [view] = await this.#views(appId, [await this.#find(appId, webhookId)]);
    return view as ReturnType<typeof webhookView>;
  }

  async list(appId: string) {
    return this.#views(appId, await store.listWebhooks(this.#deps.db, appId));
  }

  async countTrouble(appId: string) {
    const { db, now } = this.#deps;
    const rows = await store.listWebhooks(db, appId);
    const live = rows.filter((row) => row.is_enabled === 1).map((row) => healthOf(row, now()));
    return {
      failing: live.filter((health) => health === 'failing').length,
      behind: live.filter((health) => health === 'behind').length,
      switchedOff: rows.filter((row) => disabledBy(row) === 'receiver').length,
      withoutRight: rows.filter((row) => disabledBy(row) === 'rights').length,
    };
  }

  async create(appId: string, fields: WebhookFields, { by, who }: { readonly by: Actor; readonly who: Choosing }) {
    const { cacheVersion, now, secrets, targets } = this.#deps;
    const serviceBy = choosesService(fields.events, who);
    const url = await readWebhookUrl(fields.url, targets);
    const createdAt = now();
    const objectId = newObjectId(createdAt);
    const secret = newWebhookSecret();
    const { events, description = '', enabled = true, buckets = [], withoutAnswer = 'refuse' } = fields;
    const row = {
      app_id: appId,
      object_id: objectId,
      url,
      events: JSON.stringify(events),
      description,
      is_enabled: enabled ? 1 : 0,
      secret: secrets.seal(secret, secretContext(appId, objectId)),
      service_by: serviceBy,
      buckets: bucketsText(buckets),
      without_answer: withoutAnswer,
      created_at: createdAt,
      updated_at: createdAt,
    };
    await cacheVersion.change(appId, async (db) => {
      if (serviceBy !== null) choosesService(events, await this.#held(db, who));
      await lockName(db, `webhooks ${appId}`);
      if ((await store.listWebhooks(db, appId)).length >= maxPerApp) throw tooMany();
      await store.insertWebhook(db, row);
      const after = { url, events, description, enabled, buckets, withoutAnswer };
      await this.#audit(db, by, 'create', { appId, subject: objectId, after });
    });
    return { objectId, createdAt: isoTime(createdAt), secret };
  }

  async change(
    appId: string,
    webhookId: string,
    fields: Partial<WebhookFields>,
    { by, who, assertUnchanged }: Changing,
  ) {
    const { now, targets } = this.#deps;
    const url = fields.url === undefined ? undefined : await readWebhookUrl(fields.url, targets);
    await this.#change(
      appId,
      webhookId,
      async (db, row, held) => {
        assertUnchanged?.(webhookTag(shown(row)));
        const next = {
          ...row,
          url: url ?? row.url,
          events: fields.events === undefined ? row.events : JSON.stringify(fields.events),
          description: fields.description ?? row.description,
          is_enabled: fields.enabled === undefined ? row.is_enabled : fields.enabled ? 1 : 0,
          buckets: fields.buckets === undefined ? row.buckets : bucketsText(fields.buckets),
          without_answer: fields.withoutAnswer ?? row.without_answer,
          // What was known about the old address does not apply to the new one.
          ...(url === undefined || url === row.url ? {} : { failing_since: null, last_error: null, ...nothingGivenUp }),
          ...(fields.enabled === true ? { disabled_reason: null, ...nothingGivenUp } : {}),
        };
        const service_by = choosesService(shown(next).events, held ?? who);
        // Where the service is no longer among its events, the right to hear of it does not matter.
        const disabled_reason = disabledBy(next) === 'rights' && service_by === null ? null : next.disabled_reason;
        await store.writeWebhook(db, { ...next, service_by, disabled_reason, updated_at: now() });
        await this.#audit(db, by, 'change', { appId, subject: webhookId, before: shown(row), after: shown(next) });
      },
      who,
    );
    return this.get(appId, webhookId);
  }

  async remove(appId: string, webhookId: string, { by, assertUnchanged }: Removing): Promise<void> {
    const { db } = this.#deps;
    await this.#change(appId, webhookId, async (db, row) => {
      assertUnchanged?.(webhookTag(shown(row)));
      await store.deleteWebhook(db, appId, webhookId);
      await this.#audit(db, by, 'delete', { appId, subject: webhookId, before: shown(row) });
    });
    const scope = sql`app_id = ${appId} and webhook_id = ${webhookId}`;
    await deleteInSteps(db, { table: 'webhook_deliveries', id: 'object_id', scope });
  }

  async rotateSecret(appId: string, webhookId: string, { by, who }: { readonly by: Actor; readonly who: Choosing }) {
    const { now, secrets } = this.#deps;
    const secret = newWebhookSecret();
    const until = now() + oldSecretMs;
    await this.#change(appId, webhookId, async (db, row) => {
      // With it, one could tell the receiver things of the service.
      if (hearsOfService(shown(row).events)) assertWholeService(who.reach);
      const sealed = secrets.seal(secret, secretContext(appId, webhookId));
      const next = { ...row, secret: sealed, old_secret: row.secret, old_secret_until: until, updated_at: now() };
      await store.writeWebhook(db, next);
      await this.#audit(db, by, 'rotate', { appId, subject: webhookId });
    });
    return { secret, oldSecretUntil: isoTime(until) };
  }

  /** Calls the receiver now and returns its answer. Nothing is stored. */
  async test(appId: string, webhookId: string) {
    const { now } = this.#deps;
    const row = await this.#find(appId, webhookId);
    const at = now();
    const data = { text: 'A test from the management console.' };
    const message = { id: newObjectId(at), body: renderPayload(appId, { type: 'webhook.test', at, data }) };
    const result = await callWebhook(this.#deps, row, message, new AbortController().signal);
    const { outcome, text, status = null, answer = null, durationMs } = result;
    return { ok: outcome === 'sent', text, status, answer, duration: durationMs / 1000 };
  }

  async listDeliveries(page: store.DeliveryPage) {
    return (await store.listDeliveries(this.#deps.db, page)).map(deliveryView);
  }

  /** Sends a finished delivery once more, under the same id. */
  async redeliver({ appId, webhookId, deliveryId }: DeliveryKey, by: Actor) {
    const { db, now, enqueue } = this.#deps;
    const row = await store.findDelivery(db, appId, deliveryId);
    if (row?.webhook_id !== webhookId) throw fail('ObjectNotFound', `There is no delivery ${deliveryId}.`);
    if (isRecordEvent(row.event))
      throw fail('ValidationError', 'What was asked before a record changes is not asked again.');
    await db.transaction(async (db) => {
      if (!(await store.requeueDelivery(db, row, now(), now() + timeToLiveMs)))
        throw fail('DuplicateValue', 'The delivery is already waiting for its next try.');
      await enqueue(db, { appId, kind: webhookJob, payload: { deliveryId } });
      await this.#audit(db, by, 'redeliver', { appId, subject: deliveryId });
    });
  }

  /** Deletes finished deliveries older than a week, and forgets earlier given-up calls. */
  async sweep(appsWith: AppsWith): Promise<void> {
    const { db, now } = this.#deps;
    const keptSince = now() - keptMs;
    const before = firstIdAt(keptSince);
    for (const appId of await appsWith(webhookDeliveries))
      while ((await store.deleteOldDeliveries(db, appId, before, stepSize)) === stepSize);
    for (const appId of await appsWith(webhooks)) await store.forgetGivenUp(db, appId, keptSince);
  }

  async #find(appId: string, webhookId: string): Promise<store.WebhookRow> {
    const { db } = this.#deps;
    const row = await store.findWebhook(db, appId, webhookId);
    if (!row) throw noSuchWebhook(webhookId);
    return row;
  }

  /** The administrator's present role, locked until the end of the transaction: it may have been limited since the request. */
  async #held(db: Db, who: Choosing): Promise<Choosing> {
    const reach = await this.#deps.holdReach(db, who.email);
    return { ...who, reach: reach === undefined ? [] : reach };
  }

  async #audit(db: Db, by: Actor | undefined, action: string, change: Audited): Promise<void> {
    if (by) await recordChange(db, { by, action: `webhook.${action}`, now: this.#deps.now(), ...change });
  }

  /** Changes a row under a lock; then every node's publisher reads it again. */
  async #change(
    appId: string,
    webhookId: string,
    work: (db: Db, row: store.WebhookRow, held: Choosing | undefined) => Promise<void>,
    who?: Choosing,
  ) {
    const { cacheVersion } = this.#deps;
    await cacheVersion.change(appId, async (db) => {
      // Before the webhook, as when an administrator is limited.
      const held = who && (await this.#held(db, who));
      const row = await store.lockWebhook(db, appId, webhookId);
      if (!row) throw noSuchWebhook(webhookId);
      await work(db, row, held);
    });
  }

  async #views(appId: string, rows: readonly store.WebhookRow[]) {
    const { db, now } = this.#deps;
    const waiting = await store.countWaiting(db, appId);
    return rows.map((row) => webhookView(row, { now: now(), waiting: waiting.get(row.object_id) ?? 0 }));
  }
}

interface Audited {
  readonly appId: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Chosen {
  readonly url: string;
  readonly events: unknown;
  readonly description: string;
  readonly enabled: boolean;
  readonly buckets: readonly string[];
  readonly withoutAnswer: store.WithoutAnswer;
}

/** An entity tag of the settings, without the results of calls. */
export const webhookTag = ({ url, events, description, enabled, buckets, withoutAnswer }: Chosen) =>
  entityTag(JSON.stringify([url, events, description, enabled, buckets, withoutAnswer]));

const bucketsText = (buckets: readonly string[]) => (buckets.length === 0 ? null : JSON.stringify(buckets));

/** The administrator who chooses events of the whole service; null: none are chosen. @throws Failure OperationForbidden */
function choosesService(events: readonly string[], { email, reach }: Choosing): string | null {
  if (!hearsOfService(events)) return null;
  assertWholeService(reach);
  return email;
}

/** Events of the whole service are for roles that hold everywhere. @throws Failure OperationForbidden */
function assertWholeService(reach: Reach): void {
  if (reach !== null)
    throw fail(
      'OperationForbidden',
      'This webhook is told of alerts of the whole service, and your role is limited to some apps. Leave these events out.',
    );
}

function shown({ url, events, description, is_enabled, ...row }: store.WebhookRow) {
  const enabled = is_enabled === 1;
  return { url, events: JSON.parse(events) as readonly string[], description, enabled, ...askingOf(row) };
}

function noSuchWebhook(webhookId: string) {
  return fail('ObjectNotFound', `There is no webhook ${webhookId}.`);
}

function tooMany() {
  const problem = `can have at most ${maxPerApp} webhooks; delete one first`;
  return fail('ValidationError', { message: `An app ${problem}.`, details: [{ field: '', problem }] });
}
