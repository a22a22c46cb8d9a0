import { recordChange } from '../access/audit.ts';
import { version } from '../config/version.ts';
import type { Context } from '../features/context.ts';
import type { Feature } from '../features/feature.ts';
import { registerApi } from '../http/api.ts';
import { registerConsoleApi } from '../http/console/console-api.ts';
import { findConsoleCookies } from '../http/console/console-cookies.ts';
import { registerConsoleFiles } from '../http/console/console-files.ts';
import type { FindAgent } from '../http/console/console-guard.ts';
import { registerHandbook } from '../http/handbook/handbook.ts';
import { registerHealth } from '../http/health.ts';
import { registerMcp } from '../http/mcp/mcp.ts';
import { registerMetrics } from '../http/metrics.ts';
import { registerDocs } from '../http/openapi/docs.ts';
import { countJobs } from '../jobs/store.ts';
import { IdempotencyKeys } from '../limits/idempotency.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import type { Process } from './process.ts';
import { webhookCalls } from './webhooks.ts';

/** Registers everything that HTTP reaches. */
export async function openToHttp(own: Process, context: Context, features: readonly Feature[]) {
  const { time, persistentLimits, siblings } = own;
  const { config, db, now, issuersTime, server, room, cacheVersion, guard, assertRoom, fileStorage } = context;
  const { findHeld, findConsoleApp: findApp, adminSessions } = context;
  const endpoints = context.endpoints();
  const consoleEndpoints = features.flatMap((feature) => feature.consoleEndpoints ?? []);
  const clocks = () => [time?.warning(), issuersTime.warning()];
  const health = registerHealth(server, { db, room, files: () => fileStorage.problem(), clocks });
  const metrics = registerMetrics(server, { ...metricsOf(context), siblings }, context.requestCounts);
  registerDocs(server, { endpoints, version, webhooks: webhookCalls, publicUrl: () => config.publicUrl ?? '/' });
  registerHandbook(server);
  for (const feature of features) await feature.register?.(server);
  // One process of an embedded database keeps these in memory; several share them.
  const memory = (name: string) => (db.readsAreLocal ? undefined : persistentLimits.memory(name));
  const idempotencyKeys = new IdempotencyKeys(db);
  const record: Parameters<typeof registerApi>[1]['record'] = (change) => recordChange(db, change);
  const admit = await registerApi(server, {
    ...{ endpoints, guard, cacheVersion, now, assertRoom, findHeld, idempotencyKeys, record },
    limiter: new RateLimiter(undefined, memory('requests')),
    wrongKeys: new RateLimiter(undefined, memory('wrong keys')),
    headerPrefixes: config.headerPrefixes,
    corsOrigins: config.corsOrigins,
  });
  const { mcp, publicUrl } = config;
  const findAgent = agentsOf(context);
  if (mcp !== 'off')
    registerMcp(server, { endpoints, version, admit, findAgent, mayWrite: mcp === 'write', publicUrl });
  await registerConsoleApi(server, {
    endpoints: consoleEndpoints,
    assertApp: context.assertApp,
    data: { endpoints, findApp, record, assertRoom, idempotencyKeys },
    findSession: (token) => adminSessions.find(token),
    findAgent,
    now,
    publicUrl: config.publicUrl,
    cookies: await findConsoleCookies(db, config.publicUrl),
  });
  registerConsoleFiles(server);
  return { health, metrics, endpoints, consoleEndpoints };
}

/** What the operator lets agents do holds wherever they send their token. */
function agentsOf({ config: { mcp }, adminAgents }: Context): FindAgent {
  return async (token) => {
    const admin = mcp === 'off' ? undefined : await adminAgents.find(token);
    if (!admin?.agent || mcp === 'write') return admin;
    return { ...admin, agent: { ...admin.agent, mayWrite: false } };
  };
}

function metricsOf({ db, now, room, blobs, pushDelivery, webhookBacklog, gatewayIntake }: Context) {
  return {
    database: () => db.stats(),
    jobs: () => countJobs(db, now()),
    storage: () => ({
      ...room.report(),
      isRefusing: room.problem() !== undefined,
      hasFailed: db.diskFailure !== undefined,
    }),
    files: blobs.counts,
    deliveries: pushDelivery.counts,
    givenUpCalls: webhookBacklog.givenUp,
    advertisements: gatewayIntake.totals,
  };
}
