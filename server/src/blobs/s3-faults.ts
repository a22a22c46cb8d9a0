import { Failure, fail } from '../base/errors.ts';
import { StorageFault } from './blob-store.ts';
import type { S3Address } from './s3-address.ts';

/** The members of the SDK's errors that are read; any may be missing. */
interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const status = (error: unknown) => (error as SdkError | undefined)?.$metadata?.httpStatusCode;
const name = (error: unknown) => String((error as SdkError | undefined)?.name ?? '');

/** There is no such blob; a missing bucket is something else, which a HEAD request cannot tell apart. */
export function isMissing(error: unknown): boolean {
  return status(error) === 404 && name(error) !== 'NoSuchBucket';
}

export function isOutsideRange(error: unknown): boolean {
  return status(error) === 416 || name(error) === 'InvalidRange';
}

/** The server does not know the request at all. */
export function isNotOffered(error: unknown): boolean {
  return status(error) === 501 || status(error) === 405 || name(error) === 'NotImplemented';
}

/** What callers read; the cause, in the log and in `pharos doctor`, says more. */
export function unavailable(address: S3Address, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return fail('Timeout', {
    message: 'The file storage cannot take or give this now. Try again.',
    retryAfter: 5,
    cause: new StorageFault(explain(address, error), { cause: error }),
  });
}

/** In words of an operator, without credentials. */
function explain({ endpoint, bucket, region }: S3Address, error: unknown): string {
  const at = `the bucket ${bucket} at ${endpoint}`;
  const code = status(error);
  const said = name(error);
  if (said === 'NoSuchBucket' || code === 404)
    return `There is no bucket ${bucket} at ${endpoint}. Create it, or correct PHAROS_FILES_URL.`;
  if (said === 'CredentialsProviderError')
    return `There are no credentials for ${at}. Put them into PHAROS_FILES_URL or the environment (AWS_ACCESS_KEY_ID …).`;
  if (code === 301 || code === 400 || said === 'AuthorizationHeaderMalformed')
    return `The server of ${at} refused the request (${said || code}). Is the region ${region} right? (?region=… in PHAROS_FILES_URL)`;
  if (code === 401 || code === 403)
    return `The credentials were refused for ${at} (${said || code}). They need to list the bucket, and to read, write and delete its objects.`;
  if (code !== undefined) return `The server of ${at} answered ${code} ${said}.`;
  const reason = String((error as SdkError)?.code ?? (said || 'no answer'));
  return `The server of ${at} does not answer (${reason}).`;
}
