import type { StoredAppRules } from '../../../../access/rules/rule-types.ts';
import type { Config } from '../../../../config/config.ts';
import { readPostgresAddress } from '../../../../db/postgres/postgres-servers.ts';
import type { DbTable } from '../../../../db/table.ts';
import type { Services } from '../../../services.ts';
import type { PrivacyFacts, StorageHost } from './facts.ts';

type HostSetting = 'databaseUrl' | 'filesUrl' | 'smtpUrl';

/** What decides about visitors' data, gathered from all features. @throws Failure ObjectNotFound */
export async function privacyFacts(
  services: Services,
  config: Pick<Config, 'backupDays' | HostSetting>,
  appId: string,
): Promise<PrivacyFacts> {
  const { db, apps, listWebhooks, listSenders, listProviders, presenceTables } = services;
  const { name: appName, policy } = await apps.get(appId);
  const { stored } = await apps.rules(appId);
  const webhooks = (await listWebhooks(db, appId)).filter((webhook) => webhook.is_enabled === 1);
  const senders = await listSenders(db, appId);
  const providers = (await listProviders(db, appId)).filter((provider) => provider.is_enabled === 1);
  return {
    appName,
    policy,
    webhooks: webhooks.map(({ url, events }) => ({ host: new URL(url).host, events: JSON.parse(events) as string[] })),
    pushServices: senders.map(({ kind }) => kind),
    signInProviders: providers.map(({ name }) => name),
    hosts: storageHosts(config),
    hidesFromUsers: hidesFromUsers(stored),
    backupDays: config.backupDays,
    fixedDays: {
      shown: fixed(presenceTables.firings),
      track: services.trackDays,
      visitCounts: services.presenceDays,
      sightingKeys: fixed(presenceTables.sightingKeys),
      hearing: fixed(presenceTables.hearings),
      webhookDeliveries: services.deliveryDays,
    },
  };
}

/** As `withholding` in `wiring.ts`: the account itself is shown whatever the list of users hides. */
function hidesFromUsers({ resources = {}, buckets = {} }: StoredAppRules): boolean {
  const { users: _account, ...others } = resources;
  const members = [...Object.values(others), ...Object.values(buckets)].flatMap((one) =>
    Object.values(one.members ?? {}),
  );
  return members.some(({ hidden = [] }) => hidden.includes('user'));
}

function fixed({ name, kept }: DbTable): number {
  if (typeof kept?.days === 'number') return kept.days;
  throw new Error(`The table ${name} is not kept for a fixed number of days.`);
}

/** The hosts to which the service's settings send data. Data that stays on its machine goes to nobody. */
function storageHosts({ databaseUrl, filesUrl, smtpUrl }: Pick<Config, HostSetting>): StorageHost[] {
  const hosts: StorageHost[] = [];
  const servers = databaseUrl === undefined ? [] : readPostgresAddress(databaseUrl).servers;
  for (const { name } of servers) hosts.push({ holds: 'database', host: name.replace(/:\d+$/, '') });
  if (filesUrl) hosts.push({ holds: 'files', host: new URL(filesUrl.endpoint).hostname });
  if (smtpUrl) hosts.push({ holds: 'mails', host: new URL(smtpUrl).hostname });
  return hosts.filter(({ host }) => !isOwnMachine(host));
}

/** A socket of the machine has a path. */
const isOwnMachine = (host: string) => /^(localhost|127\.[\d.]+|\[?::1\]?|\/.*)$/i.test(host);
