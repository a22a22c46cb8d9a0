import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../../config/config.ts';
import { type Finding, finder } from './finding.ts';

const gibibyte = 1024 ** 3;

export function checkNode(nodeVersion: string): Finding {
  const { ok, fail } = finder('Node');
  const [major = 0, minor = 0] = nodeVersion.slice(1).split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 15)
    ? ok(nodeVersion)
    : fail(
        `${nodeVersion} is too old: it takes 22.15 or newer. npm start and the Debian package bring their own Node.`,
      );
}

/** Combinations of settings that are allowed but probably not intended. */
export function checkSettings(config: Config): Finding[] {
  const { ok, warn } = finder('settings');
  const findings: Finding[] = [];
  const isOpen = !['127.0.0.1', '::1', 'localhost'].includes(config.host);
  if (isOpen && !config.publicUrl)
    findings.push(
      warn('PHAROS_PUBLIC_URL is not set: addresses of files and links in mails will not work from outside.'),
    );
  if (config.publicUrl?.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(config.publicUrl))
    findings.push(
      warn('PHAROS_PUBLIC_URL is not https: keys, tokens and passwords can be read in transit. Put TLS in front.'),
    );
  if (config.publicUrl?.startsWith('https:') && config.trustProxy === false)
    findings.push(
      warn(
        'PHAROS_TRUST_PROXY is false: behind a proxy every client seems to have the address of the proxy. Name it there.',
      ),
    );
  if (config.databaseUrl && config.secretKeys.length === 0)
    findings.push(
      warn(
        'PHAROS_SECRET_KEY is not set: credentials of push services, secrets of webhooks and authenticator apps cannot be stored. Set it to 32 random bytes in base64, the same on every node: openssl rand -base64 32',
      ),
    );
  if (config.smtpUrl === undefined)
    findings.push(warn('PHAROS_SMTP_URL is not set: users who forget their password get no mail.'));
  return findings.length > 0 ? findings : [ok('nothing stands out')];
}

/** Permissions and free space of the data folder. */
export function checkFolder({ dataFolder }: Config): Finding[] {
  const { ok, warn, fail } = finder('data folder');
  const found = statSync(dataFolder, { throwIfNoEntry: false });
  if (!found) return [warn(`${dataFolder} does not exist yet. pharos serve creates it.`)];
  try {
    accessSync(dataFolder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail(`${dataFolder} cannot be written by this user. Change its owner: chown -R USER ${dataFolder}`)];
  }
  const findings: Finding[] = [];
  if ((found.mode & 0o007) !== 0)
    findings.push(warn(`Every user of this machine can read ${dataFolder}. Run: chmod 700 ${dataFolder}`));
  const { bavail, bsize } = statfsSync(dataFolder);
  const free = bavail * bsize;
  const said = `${(free / gibibyte).toFixed(1)} GiB are free in ${dataFolder}.`;
  if (free < 0.1 * gibibyte) findings.push(fail(`${said} Make room: writes will be refused soon.`));
  else findings.push(free < gibibyte ? warn(`${said} Make room.`) : ok(said));
  return findings;
}

/** The folder of backups, where that is elsewhere: otherwise it is noticed when the first one fails. */
export function checkBackupFolder({ backupFolder }: Config): Finding[] {
  if (backupFolder === undefined) return [];
  const { ok, warn, fail } = finder('backup folder');
  let present = backupFolder;
  while (!existsSync(present)) present = dirname(present);
  try {
    accessSync(present, constants.R_OK | constants.W_OK | constants.X_OK);
    if (present === backupFolder) return [ok(`${backupFolder} can be written.`)];
    return [warn(`${backupFolder} does not exist yet. The first backup creates it.`)];
  } catch {
    return [fail(`${present} cannot be written by this user. Change its owner: chown -R USER ${present}`)];
  }
}

/** Talks to the mail server, up to signing in. */
export async function checkMail({ smtpUrl }: Config): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const { ok, fail } = finder('mail');
  const { host } = new URL(smtpUrl);
  const waits = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 };
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url: smtpUrl, ...waits });
  try {
    await transport.verify();
    return [ok(`The mail server ${host} accepts mail.`)];
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    return [fail(`The mail server ${host} cannot be used (${code ?? message}). Check PHAROS_SMTP_URL.`)];
  } finally {
    transport.close();
  }
}
