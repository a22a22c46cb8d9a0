import assert from 'node:assert/strict';
import { personParts, resources, tables } from '../../../src/app/tables.ts';
import { joinSql, raw, type SqlValue, sql } from '../../../src/base/sql.ts';
import { claimFolder } from '../../../src/blobs/claim-folder.ts';
import { createDiskBlobStore } from '../../../src/blobs/disk.ts';
import { filesFolder } from '../../../src/config/config.ts';
import type { DbTable } from '../../../src/db/table.ts';
import {
  type Answer,
  buildApp,
  type DatabaseKind,
  type SignedIn,
  signIn,
  type TestApp,
  type TestStorage,
} from '../build-app.ts';
import { create } from '../cases.ts';

/** What a row of a table says: everything about one person, or nothing. */
export interface Said {
  readonly installationId: string;
  readonly userId: string;
  readonly at: number;
  readonly mark: string;
}

/** Tables whose rows say something of a person. */
export const withPerson = [...new Set(personParts.map(({ table }) => table))];
/** They are made through the interface, and an erasure treats them in its own way. */
const made = ['users', 'installations', 'erasures'];
export const filled = withPerson.filter(({ name }) => !made.includes(name));

export function tableOf(name: string): DbTable {
  const table = tables.find((one) => one.name === name);
  assert.ok(table);
  return table;
}

function isJson(table: DbTable, column: string): boolean {
  const members = resources.find((resource) => resource.table === table)?.records.members ?? {};
  return Object.values(members).some((member) => member.column === column && member.kind === 'json');
}

/** Writes a row of the table that says it. */
export async function fill(
  app: Pick<TestApp, 'storage' | 'appId'>,
  table: DbTable,
  { installationId, userId, at, mark }: Said,
): Promise<void> {
  const { columns, trail, users = [], mentions = [] } = table;
  const mentioning = [mentions].flat().flatMap((one) => one.in);
  const cellOf = (name: string): SqlValue => {
    if (name === 'app_id') return app.appId;
    if (name === trail?.installation) return installationId;
    if (users.includes(name)) return userId;
    // A kind that nobody does.
    if (name === 'kind') return 'none.such';
    if (name === 'stored_name') return `9f86d081884c7d659a2feaa0c55ad015_${mark}.txt`;
    if (isJson(table, name)) return JSON.stringify([mark]);
    if (mentioning.includes(name)) return JSON.stringify({ data: { installationId, userId } });
    if (name === trail?.at || name.endsWith('_at')) return at;
    return columns[name]?.type === 'text' ? mark : 1;
  };
  const isNeeded = (name: string) => {
    const column = columns[name];
    const isPersons = users.includes(name) || mentioning.includes(name) || name === trail?.installation;
    return isPersons || (column !== undefined && !column.isNullable && !column.hasDefault) || name === 'app_id';
  };
  const names = Object.keys(columns).filter(isNeeded);
  const cells = names.map((name) => sql`${cellOf(name)}`);
  // A person has one row of it, however often it is filled.
  const isOfPerson = table.key.every((column) => column === 'app_id' || users.includes(column));
  const again = raw(isOfPerson ? ' on conflict do nothing' : '');
  await app.storage.db.run(
    sql`insert into ${raw(table.name)} (${raw(names.join(', '))}) values (${joinSql(cells, ', ')})${again}`,
  );
}

/** Every table with a cell in which the text stands. */
export async function namingIn({ db }: Pick<TestStorage, 'db'>, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db.all(raw(`select * from ${name}`));
    if (JSON.stringify(rows).includes(text)) found.push(name);
  }
  return found;
}

/** An app with a user, Vera, who has a phone. */
export class KnownPerson {
  readonly app: TestApp;
  readonly vera: SignedIn;
  /** The objectId of her installation. */
  readonly phone: string;

  constructor({ app, vera, phone }: Pick<KnownPerson, 'app' | 'vera' | 'phone'>) {
    this.app = app;
    this.vera = vera;
    this.phone = phone;
  }

  close(): Promise<void> {
    return this.app.close();
  }

  tablesNaming(text: string): Promise<string[]> {
    return namingIn(this.app.storage, text);
  }

  /** A row of every table. */
  async fillAll(said: Said): Promise<void> {
    for (const table of filled) await fill(this.app, table, said);
  }

  hers(): Said {
    return { installationId: this.phone, userId: this.vera.userId, at: this.app.clock.now, mark: 'hers' };
  }

  async exported(headers = this.vera.headers): Promise<Answer['body']> {
    const answer = await this.app.send({ method: 'GET', url: '/api/v2/users/me/export', headers });
    assert.equal(answer.status, 200);
    return answer.body;
  }

  /** Returns the erasureId. */
  async erase(): Promise<string> {
    const answer = await this.app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: this.vera.headers });
    assert.equal(answer.status, 200);
    return answer.body.result.erasureId;
  }

  async receipt(erasureId: string): Promise<Answer['body']> {
    return (await this.app.send({ method: 'GET', url: `/api/v2/erasures/${erasureId}` })).body.result;
  }
}

export async function openKnownPerson(database: DatabaseKind): Promise<KnownPerson> {
  const app = await buildApp({ database });
  // A start counts the visits that are there. It would take rows of these tests away, and add others.
  await app.app.idle();
  // Records of files without bytes alone would mean that the folder's disk is not mounted.
  await claimFolder(app.storage.db, createDiskBlobStore(filesFolder(app.config)));
  const vera = await signIn(app);
  const body = { installationId: 'hers', deviceType: 'ios' };
  return new KnownPerson({ app, vera, phone: await create(app, '/api/v2/installations', body, vera.headers) });
}
