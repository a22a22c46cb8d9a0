import { commandLine } from '../../access/audit.ts';
import { parseScope, scopeText, scopeVerbs } from '../../access/keys/scopes.ts';
import type { SecretKeyView } from '../../features/operate/apps/secret-keys.ts';
import { appArgument, appIdOf, type Command } from '../support/command.ts';
import { withServices } from './storage.ts';

function shown({ keyId, name, hint, scopes, networks, expiresAt, lastUsedAt, lastUsedFrom }: SecretKeyView): string {
  const facts = [
    scopes.map(scopeText).join(' '),
    ...(networks.length > 0 ? [`from ${networks.join(', ')}`] : []),
    ...(expiresAt ? [`until ${expiresAt}`] : []),
    lastUsedAt ? `used ${lastUsedAt} from ${lastUsedFrom}` : 'never used',
  ];
  return `${keyId}  ${name}  …${hint}\n    ${facts.join('; ')}`;
}

const scopeHelp = Object.entries(scopeVerbs)
  .map(([resource, verbs]) => `  ${resource}:${verbs.join(',')}`)
  .join('\n');

export const appSecretKeyCommands: readonly Command[] = [
  {
    name: 'app secret-key create',
    summary: 'make a secret key for a gateway, an integration or a server, and show it, once',
    details: `Scopes say what the key may do; one of records can name its buckets (records/notes+birds:list).\n${scopeHelp}`,
    arguments: [appArgument],
    options: {
      name: { value: 'NAME', help: 'who uses it: it is in the log and the audit', required: true },
      scope: { value: 'SCOPE', help: 'such as sightings:create; may be repeated', required: true, multiple: true },
      network: {
        value: 'CIDR',
        help: 'from where it may be used, such as 192.0.2.0/24; may be repeated',
        multiple: true,
      },
      expires: { value: 'TIME', help: 'until when, such as 2027-01-31T00:00:00Z; for good without it' },
    },
    async run(call) {
      const asked = {
        name: call.text('name') ?? '',
        scopes: call.texts('scope').map(parseScope),
        networks: call.texts('network'),
        expiresAt: call.text('expires'),
      };
      const made = await withServices(call.config(), ({ secretKeys }) =>
        secretKeys.create(appIdOf(call), asked, commandLine),
      );
      const text = `Made the secret key ${made.key.name}. It is shown only now.\n\nexport APP_ID=${made.appId}\nexport APP_KEY=${made.secretKey}`;
      return { text, json: made };
    },
  },
  {
    name: 'app secret-key list',
    summary: 'list the secret keys of an app, with what they may do and their last use',
    arguments: [appArgument],
    async run(call) {
      const keys = await withServices(call.config(), async ({ apps, secretKeys }) => {
        const { appId } = await apps.get(appIdOf(call));
        return secretKeys.list(appId);
      });
      return { text: keys.length > 0 ? keys.map(shown).join('\n') : 'The app has no secret keys.', json: { keys } };
    },
  },
  {
    name: 'app secret-key revoke',
    summary: 'refuse a secret key from now on',
    arguments: [appArgument],
    options: { key: { value: 'KEYID', help: 'the key, as app secret-key list shows it', required: true } },
    async run(call) {
      const keyId = call.text('key') ?? '';
      await withServices(call.config(), ({ secretKeys }) => secretKeys.revoke(appIdOf(call), keyId, commandLine));
      return { text: `The secret key ${keyId} is refused from now on.`, json: { revoked: keyId } };
    },
  },
];
