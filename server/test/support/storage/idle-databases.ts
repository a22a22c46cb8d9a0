/**
 * PostgreSQL databases that a test has used and another one can use, in whatever process it runs: emptying one costs a
 * tenth of removing it and copying another one. One that is not as the migrations left it, but for rows, is removed.
 */
import type pg from 'pg';
import { onDatabase, onServer, urlOf } from '../postgres-url.ts';

/** What a database has that nothing was done in yet. */
export interface Pristine {
  readonly schema: string;
  /** The rows of each table that has any, as JSON. */
  readonly rows: ReadonlyMap<string, string>;
}

export async function readPristine(): Promise<Pristine> {
  return onDatabase(await urlOf('pharos_migrated'), async (client) => {
    const { rows: names } = await client.query(
      `select format('%I', relname) as table from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const rows = new Map<string, string>();
    for (const { table } of names) {
      const { rows: read } = await client.query(`select json_agg(t)::text as rows from ${table} t`);
      if (read[0].rows !== null) rows.set(table, read[0].rows);
    }
    return { schema: await schemaOf(client), rows };
  });
}

/** The name of an idle database, which from now on belongs to the caller. */
export async function takeIdle(): Promise<string | undefined> {
  const { rows } = await onServer(
    `delete from idle_databases
    where name = (select name from idle_databases limit 1 for update skip locked) returning name`,
  );
  return rows[0]?.name;
}

/** Makes the database as it was before the test, or removes it. */
export async function giveBack(name: string, url: string, pristine: Pristine): Promise<void> {
  const isAsBefore = await onDatabase(url, (client) => empty(client, pristine)).catch(() => false);
  if (isAsBefore) await onServer('insert into idle_databases values ($1)', [name]);
  else await onServer(`drop database ${name} with (force)`);
}

async function empty(client: pg.Client, { schema, rows }: Pristine): Promise<boolean> {
  // What a test has left running may still write, and a connection counts its rows at the latest when it ends.
  await client.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
  );
  if ((await schemaOf(client)) !== schema) return false;
  const { rows: written } = await client.query(`
    select format('%I', relname) as table from pg_class
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      and pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid) > 0`);
  const tables: readonly string[] = written.map(({ table }) => table);
  if (tables.length > 0) await client.query(`truncate ${tables.join(', ')} restart identity cascade`);
  for (const table of tables) {
    const json = rows.get(table);
    const all = `select * from json_populate_recordset(null::${table}, $1)`;
    if (json !== undefined) await client.query(`insert into ${table} ${all}`, [json]);
  }
  await client.query('select pg_stat_reset()');
  return true;
}

/** Everything that a statement other than one on rows would have changed: a copy has the numbers of its original. */
const schemaOf = async (client: pg.Client): Promise<string> => {
  const { rows } = await client.query(`
    select md5(concat_ws('/',
      (select string_agg(concat_ws(',', oid, relname, relkind, relnatts, relchecks, reloptions), ';' order by oid)
        from pg_class where relnamespace = 'public'::regnamespace),
      (select string_agg(concat_ws(',', attrelid, attname, atttypid, attnotnull, atthasdef, attoptions), ';'
        order by attrelid, attnum)
        from pg_attribute where attrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)),
      (select string_agg(concat_ws(',', setconfig), ';') from pg_db_role_setting
        where setdatabase = (select oid from pg_database where datname = current_database())),
      (select string_agg(concat_ws(',', datconnlimit, datallowconn, datacl), ';') from pg_database
        where datname = current_database()),
      (select count(*) from pg_namespace), (select max(oid) from pg_constraint), (select count(*) from pg_constraint),
      (select max(oid) from pg_trigger), (select max(oid) from pg_proc), (select max(oid) from pg_statistic_ext),
      (select max(oid) from pg_extension), (select max(oid) from pg_type)
    )) as schema`);
  return rows[0].schema;
};
