import { commandLine } from '../../access/audit.ts';
import type { AppService } from '../../features/operate/apps/service.ts';
import { type ProviderKind, providerKinds } from '../../features/people/identities/provider-kinds.ts';
import { type ProviderFields, providerShape } from '../../features/people/identities/provider-schemas.ts';
import type { ProviderService, ProviderView } from '../../features/people/identities/provider-service.ts';
import {
  appArgument,
  appIdOf,
  type Command,
  type CommandCall,
  confirmDeletion,
  type OptionSpec,
  readSwitch,
  UsageError,
  yesOption,
} from '../support/command.ts';
import { withServices } from './storage.ts';

/** Through whom the users of an app sign in. */

const nameArgument = { name: 'NAME', help: 'the identity provider, as app identity-provider list shows it' } as const;

const fieldOptions: Readonly<Record<string, OptionSpec>> = {
  audience: { value: 'CLIENTID', help: "the app's client id at the provider; may be repeated", multiple: true },
  'jwks-uri': { value: 'URL', help: 'the public keys, if the issuer does not publish their address' },
  'role-claim': { value: 'CLAIM', help: 'the claim that says who is a manager; none: the provider has no say' },
  manager: { value: 'VALUE', help: 'a value of the claim that makes a manager; may be repeated', multiple: true },
  'accept-tokens': { value: 'yes|no', help: 'accept its tokens as access tokens' },
  enabled: { value: 'yes|no', help: 'whether people can sign in through it' },
};

/** What the options name, as the console would send it. */
function readFields(call: CommandCall): Readonly<Record<string, unknown>> {
  const audiences = call.texts('audience');
  const [jwksUri, claim] = [call.text('jwks-uri'), call.text('role-claim')];
  const manager = call.texts('manager');
  if (manager.length > 0 && claim === undefined) throw new UsageError('--manager needs --role-claim.');
  const roles = claim === 'none' ? null : claim === undefined ? undefined : { claim, manager };
  return {
    ...(audiences.length > 0 ? { audiences } : {}),
    jwksUri: jwksUri === 'none' ? null : jwksUri,
    roles,
    acceptsTokens: readSwitch(call, 'accept-tokens'),
    enabled: readSwitch(call, 'enabled'),
  };
}

function shown({ name, issuer, audiences, enabled, acceptsTokens, roles }: ProviderView): string {
  const words = [
    ...(enabled ? [] : ['switched off']),
    ...(acceptsTokens ? ['tokens accepted'] : []),
    ...(roles ? [`managers by ${roles.claim}: ${roles.manager.join(', ')}`] : []),
  ];
  return `${name}  ${issuer}\n    for ${[audiences.join(', '), ...words].join('; ')}`;
}

interface Used {
  readonly apps: AppService;
  readonly identityProviders: ProviderService;
}

async function find({ apps, identityProviders }: Used, call: CommandCall): Promise<ProviderView> {
  await apps.get(appIdOf(call));
  const [, name] = call.arguments;
  const found = (await identityProviders.list(appIdOf(call))).find((provider) => provider.name === name);
  if (!found) throw new UsageError(`The app has no identity provider ${name}. See: pharos app identity-provider list`);
  return found;
}

export const identityProviderCommands: readonly Command[] = [
  {
    name: 'app identity-provider list',
    summary: 'list the identity providers through which people sign in to an app',
    arguments: [appArgument],
    async run(call) {
      const listed = await withServices(call.config(), async ({ apps, identityProviders }) => {
        await apps.get(appIdOf(call));
        return identityProviders.list(appIdOf(call));
      });
      const text = listed.length > 0 ? listed.map(shown).join('\n') : 'The app has no identity providers.';
      return { text, json: { identityProviders: listed } };
    },
  },
  {
    name: 'app identity-provider add',
    summary: 'let people sign in to an app through Google, Apple or another provider',
    arguments: [appArgument],
    options: {
      kind: { value: 'KIND', help: 'google, apple or oidc (OpenID Connect)', required: true },
      name: { value: 'NAME', help: 'by which the app names it; the kind without it' },
      issuer: { value: 'URL', help: 'the issuer, letter by letter as in its tokens; only for oidc' },
      ...fieldOptions,
    },
    async run(call) {
      const kind = call.text('kind') as ProviderKind;
      if (!providerKinds.includes(kind))
        throw new UsageError(`--kind takes ${providerKinds.join(', ')}, not "${kind}".`);
      const body = { kind, name: call.text('name') ?? kind, issuer: call.text('issuer'), ...readFields(call) };
      const fields: ProviderFields = providerShape.readCreate(body);
      const made = await withServices(call.config(), async ({ apps, identityProviders }) => {
        await apps.get(appIdOf(call));
        return identityProviders.create(appIdOf(call), fields, commandLine);
      });
      return { text: `People can now sign in through it.\n${shown(made)}`, json: made };
    },
  },
  {
    name: 'app identity-provider change',
    summary: 'change an identity provider of an app, or switch it off or on',
    arguments: [appArgument, nameArgument],
    options: fieldOptions,
    async run(call) {
      const changes = providerShape.readUpdate(readFields(call));
      const changed = await withServices(call.config(), async (services) => {
        const { objectId } = await find(services, call);
        return services.identityProviders.change(appIdOf(call), objectId, changes, { by: commandLine });
      });
      return { text: shown(changed), json: changed };
    },
  },
  {
    name: 'app identity-provider delete',
    summary: 'delete an identity provider of an app; accounts stay',
    arguments: [appArgument, nameArgument],
    options: { yes: yesOption },
    async run(call) {
      const { name } = await withServices(call.config(), async (services) => {
        const found = await find(services, call);
        confirmDeletion(call, `the identity provider ${found.name}`);
        await services.identityProviders.remove(appIdOf(call), found.objectId, { by: commandLine });
        return found;
      });
      return { text: `Deleted the identity provider ${name}.`, json: { deleted: name } };
    },
  },
];
