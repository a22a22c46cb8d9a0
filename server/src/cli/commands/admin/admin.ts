import { commandLine } from '../../../access/audit.ts';
import { randomText } from '../../../base/id.ts';
import type { Config } from '../../../config/config.ts';
import { type AdminView, adminView } from '../../../features/operate/admins/accounts/service.ts';
import { resetFactors } from '../../../features/operate/admins/factors/second-factors.ts';
import { AdminLinks, handedHours } from '../../../features/operate/admins/links/links.ts';
import { newAdminShape, resetShape } from '../../../features/operate/admins/schemas.ts';
import { openLocalSignIn } from '../../../features/operate/admins/sso/local-sign-in.ts';
import type { Services } from '../../../features/services.ts';
import { type Command, type CommandCall, type OptionSpec, UsageError } from '../../support/command.ts';
import { withFirstServices, withServices } from '../storage.ts';

const passwordOptions: Readonly<Record<string, OptionSpec>> = {
  'password-stdin': { help: 'read the password from standard input' },
  password: { value: 'PASSWORD', help: 'the password; other users may see it in the list of processes' },
};

/** The given password, or a new one that is shown once. */
async function choosePassword(call: CommandCall): Promise<{ password: string; isGenerated: boolean }> {
  if (call.has('password') && call.has('password-stdin'))
    throw new UsageError('Give --password or --password-stdin, not both.');
  if (call.has('password-stdin')) {
    return { password: (await call.terminal.readInput()).replace(/\r?\n$/, ''), isGenerated: false };
  }
  const given = call.text('password');
  return given === undefined
    ? { password: randomText(20), isGenerated: true }
    : { password: given, isGenerated: false };
}

const email: OptionSpec = { value: 'EMAIL', help: 'with which the administrator signs in', required: true };

/** Where a browser finds the console; the service need not be running. */
function consoleUrl({ publicUrl, host, port }: Config): string {
  const name = ['0.0.0.0', '::', '127.0.0.1'].includes(host) ? 'localhost' : host;
  return publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Without the public address nobody but the service knows where it listens. */
const elsewhere = (config: Config) =>
  config.publicUrl
    ? ''
    : `\n\nIf the service has another address than ${consoleUrl(config)}, replace that; PHAROS_PUBLIC_URL is not set.`;

/** @throws Error when there is no such administrator */
async function findAdministrator({ admins }: Services, address: string): Promise<AdminView> {
  const found = await admins.findByEmail(address);
  if (found) return found;
  throw new Error(`There is no administrator with the e-mail address ${address}.`);
}

export const adminCommands: readonly Command[] = [
  {
    name: 'admin create',
    summary: 'create an administrator of the management console',
    details: 'Without a password a new one is made and shown once.',
    options: {
      email,
      name: { value: 'NAME', help: 'name of the administrator in the console (the e-mail address)' },
      role: { value: 'ROLE', help: 'owner, manager, editor, installer or analyst (owner)' },
      ...passwordOptions,
    },
    async run(call) {
      const { password, isGenerated } = await choosePassword(call);
      const address = call.text('email') ?? '';
      const wanted = newAdminShape.readCreate({
        email: address,
        name: call.text('name') ?? address,
        role: call.text('role') ?? 'owner',
        password,
      });
      const admin = await withFirstServices(call.config(), ({ admins }) => admins.create(wanted, commandLine));
      return {
        text: `Created ${admin.email} as ${admin.role}.${isGenerated ? `\nPassword, shown only now: ${password}` : ''}`,
        json: { ...admin, ...(isGenerated ? { password } : {}) },
      };
    },
  },
  {
    name: 'admin reset-password',
    summary: "set an administrator's password and end all the administrator's sessions",
    details: 'Without a password a new one is made and shown once.',
    options: { email, ...passwordOptions },
    async run(call) {
      const { password, isGenerated } = await choosePassword(call);
      resetShape.readCreate({ password });
      const address = call.text('email') ?? '';
      const admin = await withServices(call.config(), async (services) => {
        const { adminId } = await findAdministrator(services, address);
        return adminView(await services.admins.setPassword(adminId, password, commandLine));
      });
      return {
        text: `The password of ${admin.email} is changed.${isGenerated ? `\nPassword, shown only now: ${password}` : ''}`,
        json: { ...admin, ...(isGenerated ? { password } : {}) },
      };
    },
  },
  {
    name: 'admin reset-factors',
    summary: "remove an administrator's second factors and end all the administrator's sessions",
    details:
      'For somebody who has lost the phone or the key: removes the authenticator app, all passkeys and the recovery codes. The password stays. Whoever signed in with a passkey only then needs a link: pharos admin link',
    options: { email },
    async run(call) {
      const address = call.text('email') ?? '';
      const admin = await withServices(call.config(), async (services, db, now) => {
        const { adminId } = await findAdministrator(services, address);
        return adminView(await resetFactors({ db, now }, adminId, commandLine));
      });
      return { text: `${admin.email} has no second factor any more.`, json: admin };
    },
  },
  {
    name: 'admin link',
    summary: 'print a one-time link with which an administrator chooses a new password',
    details: `It works once and for ${handedHours} hours, and ends earlier ones. Second factors stay. Where only single sign-on is allowed, an owner may sign in with the password as long.`,
    options: { email },
    async run(call) {
      const address = call.text('email') ?? '';
      const config = call.config();
      const { link, expiresAt } = await withServices(config, async (services, db, now) => {
        const { adminId } = await findAdministrator(services, address);
        const links = new AdminLinks({
          db,
          now,
          passwords: services.passwords,
          enqueue: services.outbox.enqueue,
          publicUrl: () => consoleUrl(config),
          canMail: false,
        });
        const sent = await links.sendReset(adminId, commandLine);
        await openLocalSignIn({ db, now }, { adminId, until: sent.expiresAt, by: commandLine });
        return sent;
      });
      return {
        text: `A new password for ${address}, once and until ${new Date(expiresAt).toISOString()}:\n${link}${elsewhere(config)}`,
        json: { link, expiresAt: new Date(expiresAt).toISOString() },
      };
    },
  },
];
