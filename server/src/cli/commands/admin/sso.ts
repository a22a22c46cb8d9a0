import { commandLine } from '../../../access/audit.ts';
import type { AppGrant } from '../../../access/reach.ts';
import { adminRoles, limitedRoles } from '../../../access/roles.ts';
import { createSecretBox } from '../../../base/secrets.ts';
import type { Config } from '../../../config/config.ts';
import { ssoProviderShape } from '../../../features/operate/admins/sso/provider-schemas.ts';
import { SsoProviders } from '../../../features/operate/admins/sso/providers.ts';
import {
  type Command,
  type CommandCall,
  confirmDeletion,
  type OptionSpec,
  readSwitch,
  UsageError,
  yesOption,
} from '../../support/command.ts';
import { withFirstServices, withServices } from '../storage.ts';

/** Through whom administrators sign in. */

type Provider = Awaited<ReturnType<SsoProviders['get']>>;

const nameArgument = { name: 'NAME', help: 'the provider, as admin sso show lists it' } as const;

const setOptions: Readonly<Record<string, OptionSpec>> = {
  issuer: { value: 'URL', help: 'the issuer, letter by letter as in its tokens; it stays as it was made' },
  'client-id': { value: 'ID', help: 'of this service at the provider' },
  'client-secret-stdin': { help: 'read the client secret from standard input; without it an existing one stays' },
  'no-client-secret': { help: 'the provider knows this service as a public client' },
  scopes: { value: 'SCOPES', help: 'joined by commas, with openid among them (openid,email,profile)' },
  'groups-claim': { value: 'CLAIM', help: 'the claim that lists the groups of a person; none: it has no say' },
  role: {
    value: 'ROLE=GROUP',
    help: 'a group that has a role; may be repeated, and replaces those that there were',
    multiple: true,
  },
  'app-role': {
    value: 'APP:ROLE=GROUP',
    help: 'a group that has a role in an app (or in venues of it: APP:ROLE@VENUE+VENUE=GROUP), for whoever has none by --role; may be repeated, and replaces those that there were; none: no group has',
    multiple: true,
  },
  'default-role': { value: 'ROLE', help: 'of people in none of the groups; none: they are refused' },
  'factor-value': {
    value: 'VALUE',
    help: 'of amr or acr, that proves a second factor; may be repeated, and replaces those that there were',
    multiple: true,
  },
  'trusts-email': { value: 'yes|no', help: 'its e-mail addresses count as verified without email_verified' },
  'join-app': {
    value: 'APP',
    help: 'an app (APP, APP:ROLE, APP@VENUE or APP:ROLE@VENUE+VENUE) in which the role holds of those who join without an invitation; may be repeated, and replaces those that there were; all: everywhere; none: in no app until an owner gives them some, as for a new provider',
    multiple: true,
  },
  enabled: { value: 'yes|no', help: 'whether administrators can sign in through it; no ends their sessions' },
};

/** @throws Error when there is no embedded database yet, unless `open` is to make it */
function withProviders<T>(
  config: Config,
  work: (providers: SsoProviders) => Promise<T>,
  open = withServices,
): Promise<T> {
  return open(config, ({ targets, issuerKeys: keys }, db, now) => {
    // The nodes of a PostgreSQL database share no folder.
    const folder = config.databaseUrl ? undefined : config.dataFolder;
    const secrets = createSecretBox({ keys: config.secretKeys, folder });
    return work(new SsoProviders({ db, now, secrets, targets, keys }));
  });
}

async function find(providers: SsoProviders, name: string | undefined): Promise<Provider> {
  const found = (await providers.list()).find((provider) => provider.name === name);
  if (found) return found;
  throw new UsageError(`There is no provider ${name}. See: pharos admin sso show`);
}

function readRoles(call: CommandCall): Readonly<Record<string, readonly string[]>> | undefined {
  const given = call.texts('role');
  if (given.length === 0) return undefined;
  const roles: Record<string, string[]> = {};
  for (const text of given) {
    const [role = '', ...group] = text.split('=');
    if (!(adminRoles as readonly string[]).includes(role) || group.join('=') === '')
      throw new UsageError(`--role takes a role (${adminRoles.join(', ')}), = and a group, not "${text}".`);
    roles[role] = [...(roles[role] ?? []), group.join('=')];
  }
  return roles;
}

/** As the console would send it. */
function readAppRoles(call: CommandCall): unknown {
  const given = call.texts('app-role');
  if (given.length === 0) return undefined;
  if (given.length === 1 && given[0] === 'none') return [];
  return given.map((text) => {
    const [, appId, role = '', venues, group] = /^([^:@,=]+):([a-z]+)(?:@([^:@=]+))?=(.+)$/.exec(text) ?? [];
    if (appId === undefined)
      throw new UsageError(`--app-role takes APP:ROLE@VENUE+VENUE=GROUP, or none by itself, not "${text}".`);
    if (!(limitedRoles as readonly string[]).includes(role))
      throw new UsageError(`--app-role takes the roles ${limitedRoles.join(', ')}, not "${role}".`);
    return { group, role, appId, ...(venues ? { venues: venues.split('+') } : {}) };
  });
}

/** As the console would send it; roles are checked with the rest. */
function readJoinApps(call: CommandCall): unknown {
  const given = call.texts('join-app');
  if (given.length === 0) return undefined;
  if (given.length === 1 && given[0] === 'all') return 'all';
  if (given.length === 1 && given[0] === 'none') return [];
  return given.map((text) => {
    const [, appId, role, venues] = /^([^:@,]+)(?::([a-z]+))?(?:@([^:@]+))?$/.exec(text) ?? [];
    if (appId === undefined || appId === 'all' || appId === 'none')
      throw new UsageError(`--join-app takes APP:ROLE@VENUE+VENUE, or all or none by itself, not "${text}".`);
    if (role !== undefined && !(limitedRoles as readonly string[]).includes(role))
      throw new UsageError(`--join-app takes the roles ${limitedRoles.join(', ')}, not "${role}".`);
    return { appId, ...(role ? { role } : {}), ...(venues ? { venues: venues.split('+') } : {}) };
  });
}

/** What the options name, as the console would send it. */
async function readFields(call: CommandCall): Promise<Readonly<Record<string, unknown>>> {
  if (call.has('client-secret-stdin') && call.has('no-client-secret'))
    throw new UsageError('Give --client-secret-stdin or --no-client-secret, not both.');
  const secret = call.has('client-secret-stdin')
    ? (await call.terminal.readInput()).replace(/\r?\n$/, '')
    : call.has('no-client-secret')
      ? null
      : undefined;
  const orNone = (option: string) => (call.text(option) === 'none' ? null : call.text(option));
  const factorValues = call.texts('factor-value');
  const given = {
    issuer: call.text('issuer'),
    clientId: call.text('client-id'),
    clientSecret: secret,
    scopes: call.text('scopes')?.replaceAll(',', ' '),
    groupsClaim: orNone('groups-claim'),
    roles: readRoles(call),
    appRoles: readAppRoles(call),
    defaultRole: orNone('default-role'),
    factorValues: factorValues.length > 0 ? factorValues : undefined,
    trustsEmail: readSwitch(call, 'trusts-email'),
    joinApps: readJoinApps(call),
    enabled: readSwitch(call, 'enabled'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function shown(provider: Provider): string {
  const { name, issuer, clientId, hasSecret, groupsClaim, roles, defaultRole, factorValues, enabled } = provider;
  const groups = [
    ...Object.entries(roles).map(([role, of]) => `${role}: ${of.join(', ')}`),
    ...provider.appRoles.map(({ group, ...grant }) => `${grantText(grant)}: ${group}`),
  ];
  const words = [
    `client ${clientId}${hasSecret ? '' : ' without a secret'}`,
    ...(groupsClaim === null ? [] : [`groups in ${groupsClaim}`]),
    ...groups,
    ...(defaultRole === null ? [] : [`everybody else: ${defaultRole}`]),
    ...(factorValues.length === 0 ? [] : [`second factor: ${factorValues.join(', ')}`]),
    joinWords(provider.joinApps),
    ...(provider.trustsEmail ? ['e-mail addresses are trusted'] : []),
  ];
  return `${name}  ${issuer}${enabled ? '' : '  (switched off)'}\n    ${words.join('; ')}`;
}

function joinWords(apps: Provider['joinApps']): string {
  if (apps === 'all') return 'new people: in all apps';
  if (apps.length === 0) return 'new people: in no app until an owner gives them some';
  return `new people: ${apps.map(grantText).join(' ')}`;
}

const grantText = ({ appId, role, venues }: AppGrant) =>
  `${appId}${role ? `:${role}` : ''}${venues ? `@${venues.join('+')}` : ''}`;

const onlyText = (isOnly: boolean) =>
  isOnly
    ? 'It is the only way: passwords and passkeys are refused. To allow them again: pharos admin sso allow-passwords'
    : 'Passwords and passkeys are accepted as well.';

async function runShow(call: CommandCall) {
  const { providers, only, sessionHours } = await withProviders(call.config(), async (sso) => ({
    providers: await sso.list(),
    ...(await sso.policy()),
  }));
  const list = providers.length > 0 ? providers.map(shown).join('\n') : 'There is no single sign-on.';
  const hours = `Sessions that begin with it last ${sessionHours} h; groups are read at each sign-in.`;
  const text = providers.length > 0 ? `${list}\n${onlyText(only)}\n${hours}` : list;
  return { text, json: { providers, only, sessionHours } };
}

async function runSet(call: CommandCall) {
  const [name = ''] = call.arguments;
  const fields = await readFields(call);
  const provider = await withProviders(
    call.config(),
    async (providers) => {
      const known = (await providers.list()).find((provider) => provider.name === name);
      if (known) return providers.change(known.providerId, ssoProviderShape.readUpdate(fields), { by: commandLine });
      // What is cleared was never there.
      const given = Object.entries(fields).filter(([, value]) => value !== null);
      return providers.create(ssoProviderShape.readCreate({ name, ...Object.fromEntries(given) }), commandLine);
    },
    withFirstServices,
  );
  return { text: `${shown(provider)}\nTry it: pharos admin sso test ${name}`, json: provider };
}

async function runTest(call: CommandCall) {
  const [name = ''] = call.arguments;
  const { ok, text } = await withProviders(call.config(), async (providers) =>
    providers.test((await find(providers, name)).providerId),
  );
  return { text, json: { name, ok, text }, ...(ok ? {} : { isFailure: true }) };
}

async function runRemove(call: CommandCall) {
  const [name = ''] = call.arguments;
  await withProviders(call.config(), async (providers) => {
    const { providerId } = await find(providers, name);
    confirmDeletion(call, `the provider ${name} and the sessions that began with it`);
    await providers.remove(providerId, { by: commandLine });
  });
  return { text: `Removed ${name}. Who is known there stays known if it is added again.`, json: { removed: name } };
}

export const adminSsoCommands: readonly Command[] = [
  {
    name: 'admin sso show',
    summary: 'show through which providers administrators sign in, and whether that is the only way',
    run: runShow,
  },
  {
    name: 'admin sso set',
    summary: 'add a provider of OpenID Connect for administrators, or change one',
    details:
      'The redirect URI to register there is /console/sso/callback below PHAROS_PUBLIC_URL. A new one needs --issuer and --client-id. The secret is stored encrypted; with PostgreSQL set PHAROS_SECRET_KEY.',
    arguments: [{ name: 'NAME', help: 'on the button: Sign in with …' }],
    options: setOptions,
    run: runSet,
  },
  {
    name: 'admin sso test',
    summary: 'read what a provider says about itself, and its keys',
    arguments: [nameArgument],
    run: runTest,
  },
  {
    name: 'admin sso remove',
    summary: 'remove a provider and end the sessions that began with it',
    arguments: [nameArgument],
    options: { yes: yesOption },
    run: runRemove,
  },
  {
    name: 'admin sso allow-passwords',
    summary: 'accept passwords and passkeys again, for example when the provider is gone for good',
    details:
      'Only owners make single sign-on the only way, in the console and from a session that began through a provider. To let in one owner for a day: pharos admin link',
    async run(call) {
      await withProviders(call.config(), (providers) => providers.allowOtherWays(commandLine));
      return { text: onlyText(false), json: { only: false } };
    },
  },
];
