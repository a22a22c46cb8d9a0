import { raw } from '../../../base/sql.ts';
import type { Database } from '../../../db/db.ts';
import type { Distribution } from '../../../db/distribute.ts';
import { type Finding, finder } from './finding.ts';

interface Placed {
  readonly name: string;
  /** Tables of one group have the rows of an app on the same node. */
  readonly colocationid: number;
  readonly keys: string | null;
}

/** A database that is distributed over a Citus cluster; nothing is said of others. */
export async function checkDistributed(db: Database, distribution: Distribution): Promise<Finding[]> {
  if (db.dialect.name !== 'postgres') return [];
  const extension = await db.one<{ version: string }>(
    raw("select extversion as version from pg_extension where extname = 'citus'"),
  );
  if (!extension) return [];
  const placed = await db.all<Placed>(
    raw(`select logicalrelid::text as name, colocationid,
      column_to_column_name(logicalrelid, partkey) as keys from pg_dist_partition where partmethod = 'h'`),
  );
  const { ok, warn } = finder('distribution');
  if (placed.length === 0)
    return [warn(`Citus ${extension.version} is here, and no table is distributed. Run: pharos migrate --distributed`)];
  const nodes = await db.all<{ name: string; active: boolean; takes: boolean; shards: number }>(
    raw(`select nodename || ':' || nodeport as name, isactive as active, shouldhaveshards as takes,
      (select count(*) from pg_dist_placement p where p.groupid = n.groupid) as shards
      from pg_dist_node n where noderole = 'primary' order by 1`),
  );
  const findings = [...findTables(placed, distribution), ...findNodes(nodes)];
  const local = `${distribution.local.length} tables stay where the service connects, because a key of theirs is unique over all apps, or they belong to none: ${distribution.local.join(', ')}.`;
  return [
    ...(findings.length > 0
      ? findings
      : [ok(`Citus ${extension.version}, ${placed.length} tables on ${nodes.length} nodes.`)]),
    ok(local),
  ];
}

/** What is wrong with where the tables are. */
export function findTables(placed: readonly Placed[], { distributed, local }: Distribution): Finding[] {
  const { fail } = finder('distribution');
  const known = new Map(placed.map((table) => [table.name, table]));
  const group = known.get(distributed[0] ?? '')?.colocationid;
  const findings: Finding[] = [];
  const missing = distributed.filter((name) => !known.has(name));
  if (missing.length > 0)
    findings.push(fail(`Not distributed: ${missing.join(', ')}. Run: pharos migrate --distributed`));
  const apart = placed.filter(({ name, colocationid }) => distributed.includes(name) && colocationid !== group);
  if (apart.length > 0)
    findings.push(
      fail(
        `Not beside the rows of their app: ${apart.map(({ name }) => name).join(', ')}. For each run: select update_distributed_table_colocation('NAME', colocate_with => '${distributed[0]}')`,
      ),
    );
  const otherwise = placed.filter(({ name, keys }) => distributed.includes(name) && keys !== 'app_id');
  if (otherwise.length > 0)
    findings.push(
      fail(
        `Not distributed by app_id: ${otherwise.map(({ name }) => name).join(', ')}. Run: select undistribute_table('NAME'), then pharos migrate --distributed`,
      ),
    );
  const wrong = placed.filter(({ name }) => local.includes(name));
  if (wrong.length > 0)
    findings.push(
      fail(
        `Must not be distributed: ${wrong.map(({ name }) => name).join(', ')}. Run: select undistribute_table('NAME')`,
      ),
    );
  return findings;
}

/** What is wrong with the nodes. */
export function findNodes(
  nodes: readonly {
    readonly name: string;
    readonly active: boolean;
    readonly takes: boolean;
    readonly shards: number;
  }[],
): Finding[] {
  const { warn, fail } = finder('nodes of the cluster');
  return nodes.flatMap(({ name, active, takes, shards }) => {
    if (!active) return [fail(`${name} is not active. Run: select citus_activate_node('HOST', PORT)`)];
    if (takes && Number(shards) === 0) return [warn(`${name} has no rows yet. Run: select citus_rebalance_start()`)];
    return [];
  });
}
