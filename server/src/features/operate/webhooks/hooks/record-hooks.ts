import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import { fail, failureOf } from '../../../../base/errors.ts';
import { newObjectId } from '../../../../base/id.ts';
import { andThen } from '../../../../base/maybe-promise.ts';
import type { SecretBox } from '../../../../base/secrets.ts';
import type { CallResult } from '../../../../delivery/webhooks/webhook-call.ts';
import { mergePatch } from '../../../../resources/merge-patch.ts';
import type { Context } from '../../../context.ts';
import type { FindRecordHook, HookRecord, Proposal, RecordEventType, RecordHook } from '../../../record-hooks.ts';
import { callWebhook } from '../deliver.ts';
import type { LiveWebhook, WebhookDirectory } from '../directory.ts';
import { renderPayload } from '../publish.ts';
import * as store from '../store.ts';
import { askingOf } from '../views.ts';
import { type HookAnswer, hookData, readHookAnswer } from './hook-answer.ts';
import { HookLine } from './hook-line.ts';

export interface RecordHookDeps extends Pick<Context, 'db' | 'now' | 'targets' | 'inBackground'> {
  readonly directory: WebhookDirectory;
  readonly secrets: Pick<SecretBox, 'open'>;
}

/** The time that all webhooks asked by one request have together, ms. */
const limitMs = 5_000;
/** A document has at most a quarter of it. */
const maxAnswerBytes = 1_048_576;
const maxLines = 10_000;

type Document = ReturnType<HookRecord['document']>;

const maxLoggedAnswer = 4_096;

const refusal = "The app's own check refuses this.";
const noAnswer = 'The answer does not have the form that is expected before a record changes.';

/**
 * Asks webhooks before records change. Nothing waits in the database meanwhile, and what is written afterwards is what they have seen.
 */
export function createRecordHooks(deps: RecordHookDeps): FindRecordHook {
  const lines = new BoundedMap<string, HookLine>(maxLines);
  const lineOf = (row: store.WebhookRow) => {
    const line = lines.get(row.object_id) ?? new HookLine(limitMs);
    lines.set(row.object_id, line);
    return line.know(row, row.last_error);
  };
  return (appId, bucket, event) =>
    andThen(deps.directory.known(appId) ?? deps.directory.load(deps.db, appId), (webhooks) => {
      const asked = webhooks.filter(({ row, events }) => events.has(event) && isAbout(row, bucket));
      return asked.length === 0 ? undefined : new Asking(deps, { bucket, event, asked, lineOf });
    });
}

function isAbout(row: store.WebhookRow, bucket: string): boolean {
  const { buckets } = askingOf(row);
  return buckets.length === 0 || buckets.includes(bucket);
}

interface Asked {
  readonly bucket: string;
  readonly event: RecordEventType;
  readonly asked: readonly LiveWebhook[];
  readonly lineOf: (row: store.WebhookRow) => HookLine;
}

class Asking implements RecordHook {
  readonly #deps: RecordHookDeps;
  readonly #of: Asked;
  #until: number | undefined;

  constructor(deps: RecordHookDeps, of: Asked) {
    this.#deps = deps;
    this.#of = of;
  }

  async ask(proposal: Proposal, accept: (document: Document) => void): Promise<Document> {
    this.#until ??= performance.now() + limitMs;
    let { after } = proposal;
    for (const { row } of this.#of.asked) {
      const document = await this.#askOne(row, after ? { ...proposal, after } : proposal, accept);
      if (after && document) after = { ...after, document: () => document };
    }
    return after?.document() ?? {};
  }

  /** The change that the webhook asks for; undefined: none. */
  async #askOne(
    row: store.WebhookRow,
    proposal: Proposal,
    accept: (document: Document) => void,
  ): Promise<Document | undefined> {
    const line = this.#of.lineOf(row);
    const answer = await this.#answerOf(row, line, proposal);
    if (answer?.allow === false) {
      const problem = answer.message ?? refusal;
      throw fail('ValidationError', { message: problem, details: [{ field: '', problem }] });
    }
    if (answer?.metadata && proposal.after) {
      const amended = mergePatch(proposal.after.document(), answer.metadata) as Document;
      const problem = problemOf(() => accept(amended));
      if (problem === undefined) return amended;
      const reason = `What the answer makes of the record cannot be stored: ${problem}`;
      this.#note(row, line, reason);
      this.#log(row, line, { proposal, reason });
    } else if (answer) {
      return undefined;
    }
    if (row.without_answer === 'allow') return undefined;
    throw fail('Timeout', { message: "The app's own check does not answer. Try again later.", retryAfter: 10 });
  }

  /** The webhook's answer; undefined without a valid one in time. */
  async #answerOf(row: store.WebhookRow, line: HookLine, proposal: Proposal): Promise<HookAnswer | undefined> {
    try {
      return await line.run(performance.now.bind(performance), () => this.#call(row, line, proposal));
    } catch (error) {
      // Its turn has not come in time.
      if (failureOf(error)) return undefined;
      throw error;
    }
  }

  async #call(row: store.WebhookRow, line: HookLine, proposal: Proposal): Promise<HookAnswer | undefined> {
    const { bucket, event } = this.#of;
    const at = this.#deps.now();
    const timeoutMs = Math.ceil((this.#until ?? 0) - performance.now());
    if (timeoutMs <= 0) return undefined;
    const body = renderPayload(row.app_id, { type: event, at, data: hookData(bucket, proposal) });
    const how = { ...this.#deps, timeoutMs, maxAnswerBytes };
    const id = newObjectId(at);
    const result = await callWebhook(how, row, { id, body }, new AbortController().signal);
    const { outcome, text, answer = '' } = result;
    const read = outcome === 'sent' ? readHookAnswer(answer, event === 'record.deleting') : undefined;
    line.end(performance.now(), read !== undefined);
    const problem = read ? null : outcome === 'sent' ? noAnswer : text;
    this.#note(row, line, problem);
    if (!read?.allow) this.#log(row, line, { proposal, reason: problem ?? refusal, id, result });
    return read;
  }

  /** A call after which the record stays as it is, or could, is among the deliveries: without the document, which is nowhere else. */
  #log(row: store.WebhookRow, line: HookLine, { proposal, reason, id, result }: Logged): void {
    const now = this.#deps.now();
    if (!line.mayLog(now)) return;
    const { bucket, event } = this.#of;
    const { before, after = before, by } = proposal;
    const data = { bucket, objectId: after?.objectId, by };
    const payload = renderPayload(row.app_id, { type: event, at: now, data });
    const { app_id: appId, object_id: webhookId } = row;
    const called = { appId, objectId: id ?? newObjectId(now), webhookId, event, payload };
    const { status = null, durationMs: duration = null } = result ?? {};
    const answer = result?.answer?.slice(0, maxLoggedAnswer) ?? null;
    this.#deps.inBackground('storing a call before a record changes', () =>
      this.#deps.db.transaction(async (db) => {
        if (!(await store.findWebhook(db, appId, webhookId))) return;
        const ended = { state: 'failed', attempts: 1, status, answer, reason, duration, next_at: null } as const;
        await store.insertDelivery(db, { ...store.queued(called, now, now), ...ended });
      }),
    );
  }

  /** Stores the failure that the owner is shown, if it has changed; null: none. */
  #note(row: store.WebhookRow, line: HookLine, error: string | null): void {
    if (line.noted === error) return;
    line.noted = error;
    const { db, now, inBackground } = this.#deps;
    inBackground('noting the answers of a webhook', () =>
      line.storeNoted((noted) =>
        noted === null ? store.noteSuccess(db, row) : store.noteFailure(db, row, noted, now()),
      ),
    );
  }
}

interface Logged {
  readonly proposal: Proposal;
  readonly reason: string;
  readonly id?: string;
  readonly result?: CallResult;
}

function problemOf(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    return failure.message;
  }
}
