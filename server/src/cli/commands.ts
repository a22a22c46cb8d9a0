import { adminCommands } from './commands/admin/admin.ts';
import { adminSsoCommands } from './commands/admin/sso.ts';
import { analyticsCommand } from './commands/analytics.ts';
import { appCommands } from './commands/app.ts';
import { identityProviderCommands } from './commands/app-providers.ts';
import { appRulesCommands } from './commands/app-rules.ts';
import { appSecretKeyCommands } from './commands/app-secret-keys.ts';
import { backupCommands } from './commands/backup.ts';
import { bucketCommands } from './commands/buckets/bucket.ts';
import { typesCommand } from './commands/buckets/types.ts';
import { copyCommand } from './commands/copy/copy.ts';
import { migrateCommand } from './commands/database/migrate.ts';
import { upgradeCommand } from './commands/database/upgrade.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { fileCommands } from './commands/files.ts';
import { exportCommand, importCommand } from './commands/import/import.ts';
import { appPrivacyCommand } from './commands/privacy/app-privacy.ts';
import { personCommands } from './commands/privacy/person.ts';
import { replayCommand } from './commands/replay.ts';
import { serveCommand } from './commands/serve.ts';
import { simulateCommand } from './commands/simulate.ts';
import { workCommand } from './commands/work.ts';
import type { Command } from './support/command.ts';

/** In the order of the help. */
export const commands: readonly Command[] = [
  serveCommand,
  workCommand,
  migrateCommand,
  upgradeCommand,
  ...adminCommands,
  ...adminSsoCommands,
  ...appCommands,
  ...appRulesCommands,
  appPrivacyCommand,
  ...appSecretKeyCommands,
  ...identityProviderCommands,
  ...bucketCommands,
  typesCommand,
  ...fileCommands,
  ...personCommands,
  analyticsCommand,
  ...backupCommands,
  exportCommand,
  importCommand,
  copyCommand,
  doctorCommand,
  demoCommand,
  simulateCommand,
  replayCommand,
];
