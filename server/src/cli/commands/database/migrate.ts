import { tables } from '../../../app/tables.ts';
import { distribute, distributionOf, distributionStatements } from '../../../db/distribute.ts';
import { migrate } from '../../../db/migrate.ts';
import { putInPartitions } from '../../../db/partitions.ts';
import { type Command, UsageError } from '../../support/command.ts';
import { withDatabase } from '../storage.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'migrate the database to the version of this code, or create it if there is none',
  details:
    'serve does this by itself. On PostgreSQL with several nodes, run it once before the new version starts. With ' +
    '--distributed the tables of apps are distributed over the nodes of a Citus cluster, those that are not yet; with --print ' +
    'the statements are shown instead and nothing is done.\nWith --partition the tables of visits, events, log records, ' +
    'verdicts and deliveries of a PostgreSQL database that is older are put in partitions by month, while the service runs; ' +
    'every node has to run this version before. New databases have them from the beginning.',
  options: {
    distributed: { help: 'distribute the tables of apps by app_id (Citus)' },
    partition: { help: 'put visits, events, logs, verdicts and deliveries in partitions by month (PostgreSQL)' },
    print: { help: 'with --distributed: print the statements' },
  },
  async run(call) {
    const distribution = distributionOf(tables);
    if (call.has('print')) {
      if (!call.has('distributed')) throw new UsageError('--print shows what --distributed does: give both.');
      const statements = distributionStatements(distribution);
      return { text: statements.map((one) => `${one};`).join('\n'), json: { statements, local: distribution.local } };
    }
    return withDatabase(call.config(), async (db) => {
      const applied = await migrate(db, Date.now());
      const migrated = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`;
      if (call.has('partition')) {
        if (db.dialect.name !== 'postgres')
          throw new UsageError('--partition is for PostgreSQL: SQLite has no partitions.');
        const partitioned = await putInPartitions(db, Date.now());
        const said =
          partitioned.length === 0 ? 'All tables are in partitions.' : `In partitions: ${partitioned.join(', ')}.`;
        return { text: `${migrated}\n${said}`, json: { applied, partitioned } };
      }
      if (!call.has('distributed')) return { text: migrated, json: { applied } };
      const distributed = await distribute(db, distribution);
      const text = distributed.length === 0 ? 'All tables are distributed.' : `Distributed: ${distributed.join(', ')}.`;
      return { text: `${migrated}\n${text}`, json: { applied, distributed } };
    });
  },
};
