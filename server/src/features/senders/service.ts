import { type Actor, recordChange } from '../../access/audit.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { SecretBox } from '../../base/secrets.ts';
import type { Db } from '../../db/db.ts';
import type { SenderDefinition, SenderDeps, SenderKind, TestAnswer } from '../../delivery/push/push-sender.ts';
import { sealContext } from './registry.ts';
import * as store from './store.ts';

export interface SenderServiceDeps {
  readonly db: Db;
  readonly now: Clock;
  readonly secrets: SecretBox;
  readonly definitions: readonly SenderDefinition[];
  readonly senderDeps: SenderDeps;
}

export interface SenderView {
  readonly kind: SenderKind;
  readonly name: string;
  readonly isSetUp: boolean;
  /** Names and ids of the credentials, no secrets. */
  readonly summary: Readonly<Record<string, string>>;
  readonly updatedAt: string | null;
  readonly lastTest: { readonly at: string; readonly ok: boolean; readonly text: string } | null;
}

export type SenderService = ReturnType<typeof createSenderService>;

const testTimeoutMs = 15_000;

/** The credentials of an app's push providers, as administrators enter, test and remove them. */
export function createSenderService({ db, now, secrets, definitions, senderDeps }: SenderServiceDeps) {
  const find = (kind: string): SenderDefinition => {
    const definition = definitions.find((one) => one.kind === kind);
    if (definition) return definition;
    throw fail(
      'ObjectNotFound',
      `There is no push provider ${kind}; the providers are ${definitions.map((one) => one.kind).join(', ')}.`,
    );
  };

  async function tryOut(definition: SenderDefinition, settings: unknown): Promise<TestAnswer> {
    const sender = definition.create(settings, senderDeps);
    try {
      return await sender.test(AbortSignal.timeout(testTimeoutMs));
    } finally {
      await sender.close();
    }
  }

  async function stored(appId: string, kind: string) {
    const row = (await store.listSenders(db, appId)).find((one) => one.kind === kind);
    if (!row) throw fail('ObjectNotFound', `No ${find(kind).name} credentials are set up yet.`);
    return row;
  }

  function openSettings(row: store.SenderRow): unknown {
    try {
      return JSON.parse(secrets.open(row.settings, sealContext(row.app_id, row.kind)));
    } catch (cause) {
      const message =
        'The stored credentials cannot be decrypted with the key of this service. Enter them again, or configure the key with which they were stored.';
      throw fail('OperationForbidden', { message, cause });
    }
  }

  return {
    /** @throws Failure ObjectNotFound for an unknown provider */
    find,

    async list(appId: string): Promise<SenderView[]> {
      const rows = new Map((await store.listSenders(db, appId)).map((row) => [row.kind, row]));
      return definitions.map(({ kind, name }) => view(kind, name, rows.get(kind)));
    },

    /** @throws Failure ValidationError, or OperationForbidden without a key to encrypt with */
    async save(target: { readonly appId: string; readonly kind: string }, entered: object, by: Actor) {
      const definition = find(target.kind);
      const complete = withGenerated(definition, entered);
      const summary = definition.summarise(definition.read(complete));
      const { appId } = target;
      const { kind, name } = definition;
      // As it was entered: everything goes through `read`, even what an older version has stored.
      const sealed = secrets.seal(JSON.stringify(complete), sealContext(appId, kind));
      const at = now();
      await db.transaction(async (db) => {
        await store.saveSender(db, { appId, kind, settings: sealed, summary: JSON.stringify(summary), now: at });
        await recordChange(db, { by, action: 'sender.save', subject: kind, appId, after: summary, now: at });
      });
      return view(kind, name, await stored(appId, kind));
    },

    /** @throws Failure ObjectNotFound */
    async remove(target: { readonly appId: string; readonly kind: string }, by: Actor): Promise<void> {
      const { appId } = target;
      const { kind } = find(target.kind);
      await db.transaction(async (db) => {
        if (!(await store.deleteSender(db, appId, kind)))
          throw fail('ObjectNotFound', `No ${find(kind).name} credentials are set up.`);
        await recordChange(db, { by, action: 'sender.remove', subject: kind, appId, now: now() });
      });
    },

    /**
     * The provider's answer to these settings, or to the stored ones if none are given; nobody receives anything.
     *
     * @throws Failure ObjectNotFound when there are none, ValidationError for malformed ones
     */
    async test(
      target: { readonly appId: string; readonly kind: string },
      entered: object | undefined,
    ): Promise<TestAnswer> {
      const definition = find(target.kind);
      if (entered !== undefined) return tryOut(definition, definition.read(withGenerated(definition, entered)));
      const row = await stored(target.appId, target.kind);
      const answer = await tryOut(definition, definition.read(openSettings(row)));
      await store.noteTest(db, row, { at: now(), ...answer });
      return answer;
    },
  };
}

/** `generate: true` generates what an administrator need not supply. */
function withGenerated({ generate }: SenderDefinition, entered: object): object {
  const { generate: isWanted, ...own } = entered as { readonly generate?: unknown };
  return isWanted === true && generate ? { ...generate(), ...own } : own;
}

function view(kind: SenderKind, name: string, row: store.SenderRow | undefined): SenderView {
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
