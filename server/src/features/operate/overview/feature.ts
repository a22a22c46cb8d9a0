import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { type AttentionDeps, readAppAttention } from './attention.ts';
import { overviewConsoleEndpoints } from './console-routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** What of an app may need a person. */
    readonly readAttention: (appId: string) => ReturnType<typeof readAppAttention>;
  }
}

export const makers: Makers<Context, 'readAttention'> = {
  readAttention: (context) => (appId) => readAppAttention(attentionDeps(context), appId, context.now()),
};

/** What the first page of an app counts, by those who own it. */
const countsOf = ({ traceCounts, findBeaconNames, countProximityStates, countFailures, countTokens }: Context) => ({
  openVisits: traceCounts.countOpenVisits,
  occupied: traceCounts.listOccupied,
  lastVisit: traceCounts.findLastVisit,
  beaconVisits: traceCounts.findBeaconVisits,
  beaconNames: findBeaconNames,
  events: traceCounts.countEvents,
  verdicts: traceCounts.countVerdicts,
  proximityStates: countProximityStates,
  failures: countFailures,
  tokens: countTokens,
});

/** What of an app may need a person, by those who know it. */
function attentionDeps(context: Context): AttentionDeps {
  const { db, usage, secretKeys, assertApp, webhooks, senders, occupancy } = context;
  return {
    db,
    counts: countsOf(context),
    countWebhookTrouble: (appId) => webhooks.countTrouble(appId),
    readReach: (appId) => context.readReach(context, appId, undefined),
    listSenders: (appId) => senders.list(appId),
    listWaiting: (appId) => context.listWaiting(db, appId),
    listSecretKeys: (appId) => secretKeys.list(appId),
    listCrowded: (appId) => occupancy.conditions(appId),
    listSensing: (appId) => context.findSensingConditions(db, appId, context.now()),
    listReports: context.findReportConditions,
    listBeacons: context.beaconConditions,
    readOpenDays: async (appId) => {
      const calendars = (await context.listCalendars(db, appId)).filter(({ opening_hours: hours }) => hours !== null);
      if (calendars.length === 0) return undefined;
      const kindOf = context.dayKindsOf(calendars);
      // A special day may be a closed one.
      return (day) => kindOf(day) === 'open';
    },
    timeZoneOf: async (appId) => (await assertApp(appId)).policy.timeZone,
    readQuotas: async (appId) => context.usedQuotas(await usage.of(appId), (await assertApp(appId)).policy),
  };
}

/** The first page of an app in the console. */
export const overviewFeature = (context: Context): Feature => ({
  consoleEndpoints: overviewConsoleEndpoints({
    ...{ db: context.db, counts: countsOf(context) },
    attention: attentionDeps(context),
  }),
});
