import { commandLine } from '../../access/audit.ts';
import { randomText } from '../../base/id.ts';
import { adminView } from '../../features/admins/accounts/service.ts';
import { newAdminShape, resetShape } from '../../features/admins/schemas.ts';
import { type Command, type CommandCall, type OptionSpec, UsageError } from '../support/command.ts';
import { withServices } from './storage.ts';

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
      const admin = await withServices(call.config(), ({ admins }) => admins.create(wanted, commandLine));
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
      const admin = await withServices(call.config(), async ({ admins }) => {
        const found = await admins.findByEmail(address);
        if (!found) throw new Error(`There is no administrator with the e-mail address ${address}.`);
        return adminView(await admins.setPassword(found.adminId, password, commandLine));
      });
      return {
        text: `The password of ${admin.email} is changed.${isGenerated ? `\nPassword, shown only now: ${password}` : ''}`,
        json: { ...admin, ...(isGenerated ? { password } : {}) },
      };
    },
  },
];
