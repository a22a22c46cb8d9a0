/**
 * The catalogue of errors that a caller can get: name, HTTP status, numeric code and meaning.
 *
 * The first block is the table in the interface specification; the second has codes of the same family for cases that
 * the table leaves open. Everything else in the service throws one of these through `fail`.
 */

import { type Problem, QueryError } from '@pharos/query';

export type { Problem } from '@pharos/query';

export interface ErrorEntry {
  readonly name: string;
  readonly status: number;
  readonly code: number;
  /**
   * The message that callers read when the code that throws has nothing more exact to say. It is not called `message`,
   * because the logger would take the entry for an error and try to mark it, and it is frozen.
   */
  readonly meaning: string;
}

function entry(name: string, status: number, code: number, meaning: string): ErrorEntry {
  return Object.freeze({ name, status, code, meaning });
}

export const catalogue = Object.freeze({
  CredentialsMissing: entry('CredentialsMissing', 400, 902, 'The headers with AppId and AppKey are missing.'),
  InvalidCredentials: entry('InvalidCredentials', 404, 903, 'The AppId or AppKey is invalid.'),
  APICallLimit: entry('APICallLimit', 429, 904, 'The API call limit is reached. Try again later.'),
  UserInvalidLoginParams: entry('UserInvalidLoginParams', 404, 101, 'The e-mail address or the password is wrong.'),
  ObjectNotFound: entry('ObjectNotFound', 404, 101, 'The object does not exist.'),
  UsernameMissing: entry('UsernameMissing', 400, 200, 'The e-mail, which is the user name, is missing or empty.'),
  PasswordMissing: entry('PasswordMissing', 400, 201, 'The password is missing or empty.'),
  UsernameTaken: entry('UsernameTaken', 400, 202, 'The user name is already taken.'),
  UserEmailTaken: entry('UserEmailTaken', 400, 203, 'The e-mail is already used.'),
  UserEmailMissing: entry('UserEmailMissing', 400, 204, 'The e-mail is missing or empty.'),
  InvalidSessionToken: entry(
    'InvalidSessionToken',
    403,
    209,
    'The access token is missing or no longer valid. Sign in again.',
  ),
  InvalidFirstName: entry('InvalidFirstName', 400, 210, 'firstname must be a string of 3 to 64 characters.'),
  InvalidLastName: entry('InvalidLastName', 400, 211, 'lastname must be a string of 3 to 64 characters.'),
  InvalidMiddleName: entry('InvalidMiddleName', 400, 212, 'middlename must be a string of at most 64 characters.'),
  InvalidCountry: entry('InvalidCountry', 400, 213, 'country must be two letters.'),
  InvalidPhone: entry('InvalidPhone', 400, 214, 'phone must be a phone number as a string.'),
  InvalidBucketName: entry(
    'InvalidBucketName',
    400,
    301,
    'bucketName must be 1 to 30 characters: a letter, then letters, digits or underscores.',
  ),
  InvalidSchema: entry('InvalidSchema', 400, 302, 'A schema must be specified.'),
  deviceName: entry('deviceName', 400, 302, 'deviceName must be a string of 3 to 64 characters.'),

  ValidationError: entry('ValidationError', 400, 142, 'The request breaks a rule; see details.'),
  InvalidJSON: entry('InvalidJSON', 400, 107, 'The body is not valid JSON.'),
  InvalidQuery: entry('InvalidQuery', 400, 102, 'The query is malformed.'),
  InvalidEmailAddress: entry(
    'InvalidEmailAddress',
    400,
    125,
    'The e-mail address is malformed or longer than 200 characters.',
  ),
  InvalidFileName: entry(
    'InvalidFileName',
    400,
    122,
    'The file name must be 1 to 128 characters without control characters and path separators.',
  ),
  ObjectTooLarge: entry('ObjectTooLarge', 413, 116, 'The body, file or document is over its limit.'),
  DuplicateValue: entry('DuplicateValue', 409, 137, 'A value that must be unique is already taken.'),
  PreconditionFailed: entry(
    'PreconditionFailed',
    412,
    138,
    'The record was changed since you read the version that If-Match names. Read it again, and decide what to keep.',
  ),
  TooLate: entry('TooLate', 409, 139, 'It cannot be changed any more: it has gone out, or is going out.'),
  SignedInAsAnother: entry(
    'SignedInAsAnother',
    409,
    140,
    'Somebody else has signed in in this browser since this page was opened. Nothing was done.',
  ),
  OperationForbidden: entry('OperationForbidden', 403, 119, "The app's policy refuses this operation."),
  ConfirmationNeeded: entry(
    'ConfirmationNeeded',
    403,
    120,
    'Confirm with your password or a passkey first: POST /console/api/session/confirm. It counts for five minutes.',
  ),
  SecondFactorNeeded: entry(
    'SecondFactorNeeded',
    403,
    121,
    'The password is right. Send the code of your authenticator app as well, or a recovery code, or sign in with a passkey.',
  ),
  EnrolmentNeeded: entry(
    'EnrolmentNeeded',
    403,
    123,
    'Everybody needs a second factor here. Set up an authenticator app or a passkey first.',
  ),
  Timeout: entry(
    'Timeout',
    503,
    124,
    'The query ran past its deadline, or the storage cannot take a write now. Try again.',
  ),
  NotFound: entry('NotFound', 404, 101, 'There is nothing at this address.'),
  MethodNotAllowed: entry(
    'MethodNotAllowed',
    405,
    119,
    'This address does not support this method; see the Allow header.',
  ),
  UnsupportedMediaType: entry('UnsupportedMediaType', 415, 107, 'Send the body as application/json.'),
  InternalServerError: entry(
    'InternalServerError',
    500,
    1,
    'Something went wrong inside the service. Its log has the details under the request id.',
  ),
});

export type ErrorName = keyof typeof catalogue;

export interface FailureOptions {
  readonly message?: string;
  readonly details?: readonly Problem[];
  /** Seconds after which it makes sense to try again; becomes the `Retry-After` header. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Continues a half-finished sign-in. */
  readonly challenge?: string;
  /** The cause, for the log only. */
  readonly cause?: unknown;
  /** The write may have been stored although it is not confirmed; the message says so. */
  readonly isOutcomeUnknown?: boolean;
}

/** A catalogue error on its way to the caller. */
export class Failure extends Error {
  readonly entry: ErrorEntry;
  readonly details: readonly Problem[];
  readonly retryAfter: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly challenge: string | undefined;
  readonly isOutcomeUnknown: boolean;

  constructor(entry: ErrorEntry, options: FailureOptions = {}) {
    super(options.message ?? entry.meaning, { cause: options.cause });
    this.name = entry.name;
    this.entry = entry;
    this.details = options.details ?? [];
    this.retryAfter = options.retryAfter;
    this.headers = options.headers ?? {};
    this.challenge = options.challenge;
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false;
  }
}

/** Creates the catalogue error `name`; throw the result. */
export function fail(name: ErrorName, options: FailureOptions | string = {}): Failure {
  return new Failure(catalogue[name], typeof options === 'string' ? { message: options } : options);
}

/** Refuses one member: `invalid('name', 'is required')`. */
export const invalid = (field: string, problem: string): Failure =>
  fail('ValidationError', { message: `${field} ${problem}.`, details: [{ field, problem }] });

/** The problem of a field that may be absent. */
export const problemUnless = (
  field: string,
  value: string | undefined,
  holds: (text: string) => boolean,
  problem: string,
): Problem[] => (value === undefined || holds(value) ? [] : [{ field, problem }]);

/** What was thrown, if it refuses a request: a catalogue error, or a query that cannot be read (InvalidQuery). */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof QueryError) return fail('InvalidQuery', { message: error.message, details: error.details });
  return error instanceof Failure ? error : undefined;
}
