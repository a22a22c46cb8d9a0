import { type Actor, recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import { restorableMs } from '../../../base/restorable.ts';
import type { Db } from '../../../db/db.ts';
import type { PushSenderKind, SenderDefinition, SenderDeps, TestAnswer } from '../../../delivery/push/push-sender.ts';
import { type AssertUnchanged, entityTag } from '../../../resources/entity-tag.ts';
import type { Context } from '../../context.ts';
import type { AppsWith } from '../../feature.ts';
import { sealContext } from './registry.ts';
import * as store from './store.ts';
import { senders } from './tables.ts';

export interface SenderServiceDeps extends Pick<Context, 'now' | 'secrets'> {
  readonly db: Db;
  readonly definitions: readonly SenderDefinition[];
  readonly senderDeps: SenderDeps;
  /** In the transaction in which credentials are entered or brought back. */
  readonly onEntered: (db: Db, appId: string, now: number) => Promise<void>;
}

export interface SenderView {
  readonly kind: PushSenderKind;
  readonly name: string;
  readonly isSetUp: boolean;
  /** Names and ids of the credentials, no secrets. */
  readonly summary: Readonly<Record<string, string>>;
  readonly updatedAt: string | null;
  readonly lastTest: { readonly at: string; readonly ok: boolean; readonly text: string } | null;
}

/** The tag of the credentials that are there, of which the summary is known and no secret. */
export const senderTag = ({ isSetUp, summary, updatedAt }: SenderView): string =>
  entityTag(JSON.stringify([isSetUp, summary, updatedAt]));

const testTimeoutMs = 15_000;

/** The credentials of an app's push providers, as administrators enter, test and remove them. */
export class SenderService {
  readonly #deps: SenderServiceDeps;

  constructor(deps: SenderServiceDeps) {
    this.#deps = deps;
  }

  /** @throws Failure ObjectNotFound for an unknown provider */
  find(kind: string): SenderDefinition {
    const { definitions } = this.#deps;
    const definition = definitions.find((one) => one.kind === kind);
    if (definition) return definition;
    throw fail(
      'ObjectNotFound',
      `There is no push provider ${kind}; the providers are ${definitions.map((one) => one.kind).join(', ')}.`,
    );
  }

  async list(appId: string): Promise<SenderView[]> {
    const { db, definitions } = this.#deps;
    const rows = new Map((await store.listSenders(db, appId)).map((row) => [row.kind, row]));
    return definitions.map(({ kind, name }) => view(kind, name, rows.get(kind)));
  }

  /** Also one that is not set up. @throws Failure ObjectNotFound for an unknown provider */
  async get({ appId, kind: wanted }: { readonly appId: string; readonly kind: string }): Promise<SenderView> {
    const { db } = this.#deps;
    const { kind, name } = this.find(wanted);
    return view(kind, name, await store.findSender(db, appId, kind));
  }

  /** @throws Failure ValidationError, PreconditionFailed, or OperationForbidden without a key to encrypt with */
  async save(
    target: { readonly appId: string; readonly kind: string },
    entered: object,
    by: Actor,
    assertUnchanged?: AssertUnchanged,
  ) {
    const { db, now, secrets, onEntered } = this.#deps;
    const definition = this.find(target.kind);
    const complete = withGenerated(definition, entered);
    const summary = definition.summarise(definition.read(complete));
    const { appId } = target;
    const { kind, name } = definition;
    // As it was entered: everything goes through `read`, even what an older version has stored.
    const sealed = secrets.seal(JSON.stringify(complete), sealContext(appId, kind));
    const at = now();
    await db.transaction(async (db) => {
      const stored = assertUnchanged && (await store.findSender(db, appId, kind));
      assertUnchanged?.(senderTag(view(kind, name, stored)));
      const seen = assertUnchanged && (stored?.updated_at ?? 0);
      const saved = { appId, kind, settings: sealed, summary: JSON.stringify(summary), now: at, seen };
      // Somebody may have come in between.
      if (!(await store.saveSender(db, saved))) throw fail('PreconditionFailed');
      await onEntered(db, appId, at);
      await recordChange(db, { by, action: 'sender.save', subject: kind, appId, after: summary, now: at });
    });
    return view(kind, name, await this.#stored(appId, kind));
  }

  /** @throws Failure ObjectNotFound, PreconditionFailed */
  async remove(
    target: { readonly appId: string; readonly kind: string },
    by: Actor,
    assertUnchanged?: AssertUnchanged,
  ): Promise<void> {
    const { db, now } = this.#deps;
    const { appId } = target;
    const { kind, name } = this.find(target.kind);
    await db.transaction(async (db) => {
      const stored = await store.findSender(db, appId, kind);
      assertUnchanged?.(senderTag(view(kind, name, stored)));
      const seen = assertUnchanged && stored?.updated_at;
      if (!(await store.removeSender(db, { appId, kind, now: now(), seen }))) {
        // Somebody has come in between.
        if (assertUnchanged && stored && stored.settings !== '') throw fail('PreconditionFailed');
        throw fail('ObjectNotFound', `No ${name} credentials are set up.`);
      }
      await recordChange(db, { by, action: 'sender.remove', subject: kind, appId, now: now() });
    });
  }

  /**
   * Brings back what was removed or replaced within the last hour. `updatedAt` is of what the caller knows to be there
   * now, null when that is nothing.
   *
   * @throws Failure ObjectNotFound when there is nothing to bring back, PreconditionFailed if somebody has entered others
   */
  async restore(
    { appId, kind: wanted }: { readonly appId: string; readonly kind: string },
    updatedAt: string | null,
    by: Actor,
  ): Promise<SenderView> {
    const { db, now, onEntered } = this.#deps;
    const { kind, name } = this.find(wanted);
    await db.transaction(async (db) => {
      const row = await store.findSender(db, appId, kind);
      if (!row || row.former_at === null || row.former_at <= now() - restorableMs)
        throw fail('ObjectNotFound', `There are no ${name} credentials to bring back.`);
      if (view(kind, name, row).updatedAt !== updatedAt) throw fail('PreconditionFailed');
      await store.restoreSender(db, { appId, kind, now: now() });
      await onEntered(db, appId, now());
      await recordChange(db, { by, action: 'sender.restore', subject: kind, appId, now: now() });
    });
    return view(kind, name, await this.#stored(appId, kind));
  }

  /** Deletes what can no longer be restored. */
  async sweep(appsWith: AppsWith): Promise<void> {
    const { db, now } = this.#deps;
    const before = now() - restorableMs;
    for (const appId of await appsWith(senders)) await store.forgetFormer(db, appId, before);
  }

  /**
   * The provider's answer to these settings, or to the stored ones if none are given; nobody receives anything.
   *
   * @throws Failure ObjectNotFound when there are none, ValidationError for malformed ones
   */
  async test(
    target: { readonly appId: string; readonly kind: string },
    entered: object | undefined,
  ): Promise<TestAnswer> {
    const { db, now } = this.#deps;
    const definition = this.find(target.kind);
    if (entered !== undefined) return this.#tryOut(definition, definition.read(withGenerated(definition, entered)));
    const row = await this.#stored(target.appId, target.kind);
    const answer = await this.#tryOut(definition, definition.read(this.#openSettings(row)));
    await store.noteTest(db, row, { at: now(), ...answer });
    return answer;
  }

  async #tryOut(definition: SenderDefinition, settings: unknown): Promise<TestAnswer> {
    const { senderDeps } = this.#deps;
    const sender = definition.create(settings, senderDeps);
    try {
      return await sender.test(AbortSignal.timeout(testTimeoutMs));
    } finally {
      await sender.close();
    }
  }

  async #stored(appId: string, kind: string) {
    const { db } = this.#deps;
    const row = (await store.listSenders(db, appId)).find((one) => one.kind === kind);
    if (!row) throw fail('ObjectNotFound', `No ${this.find(kind).name} credentials are set up yet.`);
    return row;
  }

  #openSettings(row: store.SenderRow): unknown {
    const { secrets } = this.#deps;
    try {
      return JSON.parse(secrets.open(row.settings, sealContext(row.app_id, row.kind)));
    } catch (cause) {
      const message =
        'The stored credentials cannot be decrypted with the key of this service. Enter them again, or configure the key with which they were stored.';
      throw fail('OperationForbidden', { message, cause });
    }
  }
}

/** `generate: true` generates what an administrator need not supply. */
function withGenerated({ generate }: SenderDefinition, entered: object): object {
  const { generate: isWanted, ...own } = entered as { readonly generate?: unknown };
  return isWanted === true && generate ? { ...generate(), ...own } : own;
}

function view(kind: PushSenderKind, name: string, stored: store.SenderRow | undefined): SenderView {
  const row = stored?.settings === '' ? undefined : stored;
  const lastTest =
    row?.tested_at == null
      ? null
      : { at: new Date(row.tested_at).toISOString(), ok: row.test_ok === 1, text: row.test_text ?? '' };
  return {
    kind,
    name,
    isSetUp: row !== undefined,
    summary: row ? (JSON.parse(row.summary) as Record<string, string>) : {},
    updatedAt: row ? new Date(row.updated_at).toISOString() : null,
    lastTest,
  };
}
