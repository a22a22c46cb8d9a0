import { tables } from '../../app/tables.ts';
import { distribute, distributionOf, distributionStatements } from '../../db/distribute.ts';
import { migrate } from '../../db/migrate.ts';
import { type Command, UsageError } from '../support/command.ts';
import { withDatabase } from './storage.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'migrate the database to the version of this code, or create it if there is none',
  details:
    'serve does this by itself. On PostgreSQL with several nodes, run it once before the new version starts. With ' +
    '--distributed the tables of apps are distributed over the nodes of a Citus cluster, those that are not yet; with --print ' +
    'the statements are shown instead and nothing is done.',
  options: {
    distributed: { help: 'distribute the tables of apps by app_id (Citus)' },
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
      if (!call.has('distributed')) return { text: migrated, json: { applied } };
      const distributed = await distribute(db, distribution);
      const text = distributed.length === 0 ? 'All tables are distributed.' : `Distributed: ${distributed.join(', ')}.`;
      return { text: `${migrated}\n${text}`, json: { applied, distributed } };
    });
  },
};
