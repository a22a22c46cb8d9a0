import { type Actor, recordChange } from '../../../access/audit.ts';
import { fail, invalid, type Problem } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { type Db, ifTaken } from '../../../db/db.ts';
import { lockName } from '../../../db/nodes/lock-name.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Changes } from '../../../http/shape.ts';
import { type AssertUnchanged, entityTag } from '../../../resources/entity-tag.ts';
import { addressProblem } from '../../../sign-in/oidc/address-problem.ts';
import type { IssuerKeys } from '../../../sign-in/oidc/issuer-keys.ts';
import { Unreadable } from '../../../sign-in/oidc/read-json.ts';
import type { Context } from '../../context.ts';
import type { RoleMapping } from './profile.ts';
import { knownIssuers, trustOf } from './provider-kinds.ts';
import type { ProviderFields } from './provider-schemas.ts';
import * as store from './store.ts';

export type ProviderDeps = Pick<Context, 'db' | 'cacheVersion' | 'now' | 'targets'>;

interface Changing {
  readonly by: Actor;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

export type ProviderView = ReturnType<typeof view>;

const maxPerApp = 20;

export class ProviderService {
  readonly #deps: ProviderDeps;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  async list(appId: string): Promise<ProviderView[]> {
    return (await store.listProviders(this.#deps.db, appId)).map(view);
  }

  /** @throws Failure ObjectNotFound */
  async get(appId: string, objectId: string): Promise<ProviderView> {
    return view((await store.findProvider(this.#deps.db, appId, objectId)) ?? missing(objectId));
  }

  /** @throws Failure ValidationError, DuplicateValue when its name or issuer is taken */
  async create(appId: string, fields: ProviderFields, by: Actor): Promise<ProviderView> {
    const { cacheVersion, now } = this.#deps;
    const known = knownIssuers[fields.kind]?.issuer;
    const issuer = known ?? fields.issuer ?? '';
    if (known === undefined) await this.#assertAddresses({ issuer, jwksUri: fields.jwksUri });
    const at = now();
    const row: store.ProviderRow = {
      app_id: appId,
      object_id: newObjectId(at),
      name: fields.name,
      kind: fields.kind,
      issuer,
      jwks_uri: fields.jwksUri ?? null,
      audiences: JSON.stringify(fields.audiences),
      roles: fields.roles ? JSON.stringify(fields.roles) : null,
      is_enabled: fields.enabled === false ? 0 : 1,
      accepts_tokens: fields.acceptsTokens ? 1 : 0,
      created_at: at,
      updated_at: at,
    };
    await cacheVersion
      .change(appId, async (db) => {
        await lockName(db, `identity providers ${appId}`);
        if ((await store.listProviders(db, appId)).length >= maxPerApp) throw tooMany();
        await store.insertProvider(db, row);
        await this.#audit(db, by, 'create', { appId, subject: row.object_id, after: chosen(row) });
      })
      .catch(ifTaken(() => taken(fields.name, issuer)));
    return view(row);
  }

  /** Its name, kind and issuer stay: the identities of users belong to them. @throws Failure ObjectNotFound */
  async change(appId: string, objectId: string, { set, cleared }: Changes<ProviderFields>, how: Changing) {
    const { now } = this.#deps;
    if (set.jwksUri !== undefined) await this.#assertAddresses({ jwksUri: set.jwksUri });
    return this.#change(appId, objectId, async (db, row) => {
      how.assertUnchanged?.(providerTag(view(row)));
      assertFixed(row, set);
      const next: store.ProviderRow = {
        ...row,
        jwks_uri: cleared.includes('jwksUri') ? null : (set.jwksUri ?? row.jwks_uri),
        audiences: set.audiences ? JSON.stringify(set.audiences) : row.audiences,
        roles: cleared.includes('roles') ? null : set.roles ? JSON.stringify(set.roles) : row.roles,
        is_enabled: set.enabled === undefined ? row.is_enabled : set.enabled ? 1 : 0,
        accepts_tokens: set.acceptsTokens === undefined ? row.accepts_tokens : set.acceptsTokens ? 1 : 0,
        updated_at: Math.max(now(), row.updated_at),
      };
      await store.updateProvider(db, next);
      await this.#audit(db, how.by, 'change', {
        appId,
        subject: objectId,
        before: chosen(row),
        after: chosen(next),
      });
      return view(next);
    });
  }

  /** Users keep their accounts; who has no other way to sign in cannot until the provider is back. */
  async remove(appId: string, objectId: string, { by, assertUnchanged }: Changing): Promise<void> {
    await this.#change(appId, objectId, async (db, row) => {
      assertUnchanged?.(providerTag(view(row)));
      await store.deleteProvider(db, appId, objectId);
      await this.#audit(db, by, 'delete', { appId, subject: objectId, before: chosen(row) });
    });
  }

  /** Reads the issuer's keys now. */
  async test(
    appId: string,
    objectId: string,
    keys: IssuerKeys,
  ): Promise<{ readonly ok: boolean; readonly text: string }> {
    const { db } = this.#deps;
    const row = (await store.findProvider(db, appId, objectId)) ?? missing(objectId);
    try {
      const count = await keys.probe(trustOf(row));
      return { ok: true, text: `The issuer has ${count === 1 ? 'one key' : `${count} keys`}.` };
    } catch (error) {
      const reason = error instanceof Unreadable ? error.message : 'they are malformed';
      return { ok: false, text: `The keys of ${row.issuer} cannot be read: ${reason}.` };
    }
  }

  /** @throws Failure ValidationError */
  async #assertAddresses(addresses: { readonly issuer?: string; readonly jwksUri?: string | undefined }) {
    for (const [field, address] of Object.entries(addresses)) {
      const problem = address === undefined ? undefined : await addressProblem(this.#deps.targets, field, address);
      if (problem !== undefined) throw invalid(field, problem);
    }
  }

  async #change<T>(appId: string, objectId: string, work: (db: Db, row: store.ProviderRow) => Promise<T>): Promise<T> {
    const { cacheVersion } = this.#deps;
    return cacheVersion.change(appId, async (db) =>
      work(db, (await store.lockProvider(db, appId, objectId)) ?? missing(objectId)),
    );
  }

  #audit(
    db: Db,
    by: Actor,
    action: string,
    change: { readonly appId: string; readonly subject: string; readonly before?: unknown; readonly after?: unknown },
  ) {
    return recordChange(db, { by, action: `identity-provider.${action}`, now: this.#deps.now(), ...change });
  }
}

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

function chosen(row: store.ProviderRow) {
  return {
    name: row.name,
    kind: row.kind,
    issuer: row.issuer,
    jwksUri: row.jwks_uri,
    audiences: JSON.parse(row.audiences) as string[],
    roles: parsed<RoleMapping>(row.roles),
    enabled: row.is_enabled === 1,
    acceptsTokens: row.accepts_tokens === 1,
  };
}

const view = (row: store.ProviderRow) => ({
  objectId: row.object_id,
  ...chosen(row),
  createdAt: isoTime(row.created_at),
  updatedAt: isoTime(row.updated_at),
});

/** The tag of what its administrators have chosen. */
export function providerTag({ createdAt, updatedAt, ...others }: ProviderView): string {
  return entityTag(JSON.stringify(others));
}

/** @throws Failure ValidationError */
function assertFixed(row: store.ProviderRow, set: Partial<ProviderFields>): void {
  const details: Problem[] = (['name', 'kind', 'issuer'] as const)
    .filter((field) => set[field] !== undefined && set[field] !== row[field])
    .map((field) => ({ field, problem: 'cannot be changed; add another identity provider instead' }));
  if (row.kind !== 'oidc' && set.jwksUri !== undefined)
    details.push({ field: 'jwksUri', problem: `is known of ${row.kind}, leave it out` });
  const [first] = details;
  if (first) throw fail('ValidationError', { message: `${first.field} ${first.problem}.`, details });
}

function missing(objectId: string): never {
  throw fail('ObjectNotFound', `There is no identity provider ${objectId}.`);
}

function taken(name: string, issuer: string) {
  const message = `The app has an identity provider with the name ${name} or the issuer ${issuer} already.`;
  return fail('DuplicateValue', message);
}

function tooMany() {
  const problem = `can have at most ${maxPerApp} identity providers; delete one first`;
  return fail('ValidationError', { message: `An app ${problem}.`, details: [{ field: '', problem }] });
}
