/**
 * `npm run generate`: writes the clients' description of the interface from the endpoints that the server declares. A
 * test compares the committed files with what this would write.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scopeVerbs } from '../server/src/access/keys/scopes.ts';
import { mayDo } from '../server/src/access/roles.ts';
import { limitedByVenue, type RuledResource, ruledResources } from '../server/src/access/rules/presets.ts';
import { type App, createApp } from '../server/src/app/app.ts';
import { webhookCalls } from '../server/src/app/webhooks.ts';
import { readConfig } from '../server/src/config/config.ts';
import { version } from '../server/src/config/version.ts';
import { migrate } from '../server/src/db/migrate.ts';
import { openSqlite } from '../server/src/db/sqlite/sqlite.ts';
import { apiPrefix } from '../server/src/http/api.ts';
import { consolePrefix } from '../server/src/http/console/console-api.ts';
import { dataPermission } from '../server/src/http/console/console-roles.ts';
import { isByVenue } from '../server/src/http/grants.ts';
import { buildConsoleOpenApi, buildOpenApi } from '../server/src/http/openapi/openapi.ts';
import { webhooksOf } from '../server/src/http/openapi/webhooks.ts';
import { operationModule, operationTable, wireModule } from './wire.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The content of each file; the paths are relative to the checkout. */
export async function generateWire(): Promise<Readonly<Record<string, string>>> {
  return withApp(async ({ endpoints, consoleEndpoints }) => {
    const webhooks = webhooksOf(webhookCalls());
    const document = buildOpenApi({ endpoints, version, serverUrl: '/', webhooks });
    const ofConsole = buildConsoleOpenApi(consoleEndpoints, version);
    const types = await wireModule(ofConsole, consolePrefix, 'The types of `/console/api`.');
    return {
      'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
      'console/openapi.json': `${JSON.stringify(ofConsole, null, 2)}\n`,
      'sdk/src/wire.ts': await wireModule(document, apiPrefix, 'The types of `/api/v2`.'),
      'sdk/src/operations.ts': operationModule(
        document,
        apiPrefix,
        'What it takes to call each operation of `/api/v2`.',
      ),
      'console/src/lib/wire.ts': `${types}\n${operationTable(ofConsole, consolePrefix)}\n${accessTables(endpoints)}`,
    };
  });
}

function accessTables(endpoints: App['endpoints']): string {
  const reached = endpoints.flatMap((endpoint) => {
    const permission = dataPermission(endpoint);
    return permission ? [[endpoint.operationId, permission]] : [];
  });
  const tables = [
    ['Which roles may do what; the service holds to the same table.', 'mayDo', mayDo],
    [
      'The operations of `/api/v2` that the console reaches below `/console/api/apps/{appId}/v2`, and what each needs.',
      'dataNeeds',
      Object.fromEntries(reached),
    ],
    [
      'Those of them that whoever is limited to venues reaches too.',
      'dataByVenue',
      endpoints.filter((one) => dataPermission(one) && isByVenue(one)).map(({ operationId }) => operationId),
    ],
    [
      'What a secret key can be for: what it is called in rules, the verbs, and whether it can be limited to venues.',
      'scopeResources',
      Object.fromEntries(Object.entries(scopeVerbs).map(([name, verbs]) => [name, scopeOf(name, verbs)])),
    ],
  ] as const;
  const texts = tables.map(
    ([about, name, table]) => `/** ${about} */\nexport const ${name} = ${rowsOf(table)} as const;\n`,
  );
  return texts.join('\n');
}

/** A line for each row. */
function rowsOf(table: object): string {
  const rows = Object.entries(table).map(
    ([name, row]) => (Array.isArray(table) ? '' : `'${name}': `) + JSON.stringify(row),
  );
  const [open, close] = Array.isArray(table) ? '[]' : '{}';
  return `${open}\n${rows.map((row) => `  ${row},\n`).join('')}${close}`;
}

function scopeOf(name: string, verbs: readonly string[]) {
  const { noun = name }: Partial<RuledResource> =
    (ruledResources as Readonly<Record<string, RuledResource>>)[name] ?? {};
  return { noun, verbs, byVenue: limitedByVenue.has(name) };
}

/** The endpoints are declared together with what they need to work, so the whole service is created for a moment. */
async function withApp<T>(read: (app: App) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-generate-'));
  const config = readConfig({ PHAROS_DATA: folder, PHAROS_LOG_LEVEL: 'silent' });
  const db = openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: config.queryDeadlineMs });
  try {
    await migrate(db, 0);
    const app = await createApp({ config, db, now: Date.now });
    try {
      return await read(app);
    } finally {
      await app.close();
    }
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generateWire())) {
    writeFileSync(join(root, path), text);
    process.stdout.write(`${path}\n`);
  }
}
