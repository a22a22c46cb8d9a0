import { migrate } from '../../db/migrate.ts';
import type { Command } from '../support/command.ts';
import { withDatabase } from './storage.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'migrate the database to the version of this code, or create it if there is none',
  details: 'serve does this by itself. On PostgreSQL with several nodes, run it once before the new version starts.',
  async run(call) {
    const applied = await withDatabase(call.config(), (db) => migrate(db, Date.now()));
    const text = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`;
    return { text, json: { applied } };
  },
};
