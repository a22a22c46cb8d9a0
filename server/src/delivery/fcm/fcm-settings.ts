import { Entered } from '../push/entered.ts';

/** The members of a Google service account's JSON that are used. */
export interface FcmSettings {
  readonly projectId: string;
  readonly clientEmail: string;
  /** PEM. */
  readonly privateKey: string;
  readonly privateKeyId: string;
  readonly tokenUri: string;
}

const where =
  'download it in the Firebase console under Project settings, Service accounts, "Generate new private key", and paste the whole file';

/**
 * Accepts the service account's file as text or as an object, bare or as the member `serviceAccount`.
 *
 * @throws Failure ValidationError
 */
export function readFcmSettings(given: unknown): FcmSettings {
  const isWrapped = typeof given === 'object' && given !== null && 'serviceAccount' in given;
  const account = parsed(isWrapped ? given.serviceAccount : given);
  const entered = new Entered(account ?? {}, 'serviceAccount');
  if (account === undefined || account === null) {
    entered.problem('', `must be the JSON file of a service account; ${where}`);
    entered.check('The service account is not JSON.');
  }
  const type = entered.get('type');
  if (type !== undefined && type !== 'service_account') {
    entered.problem('type', `must be "service_account"; these are another kind of Google credentials; ${where}`);
  }
  const projectId = entered.text('project_id', /^[a-z][a-z0-9.:-]{3,60}$/, 'must be the id of the Firebase project');
  const clientEmail = entered.text('client_email', /^[^\s@]+@[^\s@]+$/, "must be the service account's address");
  const privateKey = entered.privateKey('private_key', 'rsa', `must be an RSA private key in PEM; ${where}`);
  const tokenUri = readTokenUri(entered);
  const privateKeyId = entered.get('private_key_id');
  entered.check('The service account cannot be used; see details.');
  return {
    projectId,
    clientEmail,
    privateKey,
    privateKeyId: typeof privateKeyId === 'string' ? privateKeyId.trim() : '',
    tokenUri,
  };
}

function parsed(account: unknown): unknown {
  if (typeof account !== 'string') return account;
  try {
    return JSON.parse(account);
  } catch {
    return undefined;
  }
}

/** Only Google's own address: the service signs in there, and nobody must redirect it elsewhere. */
function readTokenUri(entered: Entered): string {
  const value = entered.get('token_uri') ?? 'https://oauth2.googleapis.com/token';
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isGoogle = url?.protocol === 'https:' && url.port === '' && /(^|\.)googleapis\.com$/.test(url.hostname);
  if (!url || !isGoogle) entered.problem('token_uri', 'must be an https address of googleapis.com');
  return url?.href ?? '';
}
