import { isObject } from '@pharos/query';
import { type Static, Type } from 'typebox';
import type { AppContext } from '../../../access/context.ts';
import { type ErrorName, Failure, fail, type Problem, problemUnless } from '../../../base/errors.ts';
import { isLongerThan } from '../../../base/text-length.ts';
import { type Changes, defineShape, sentence } from '../../../http/shape.ts';
import { isEmailAddress, maxEmailLength } from '../../../sign-in/email.ts';
import { refreshMember } from '../../../sign-in/sign-in-answer.ts';
import { metadataProblems } from '../../own-metadata.ts';

const maxPasswordLength = 50;

const names = {
  firstname: Type.String({ minLength: 3, maxLength: 64 }),
  lastname: Type.String({ minLength: 3, maxLength: 64 }),
};
const email = Type.String({
  maxLength: maxEmailLength,
  description: 'The e-mail address, which is the user name; compared without case and surrounding space',
});
const password = Type.String({
  minLength: 4,
  maxLength: maxPasswordLength,
  description: 'Never returned; the app may require more than 4 characters',
});
export const middlename = Type.String({ maxLength: 64 });
export const country = Type.String({ minLength: 2, maxLength: 2, description: 'Two letters' });
export const phone = Type.String({ minLength: 3, maxLength: 32, description: 'Digits, spaces and + ( ) - . /' });
export const metadata = Type.Object({}, { description: 'Any JSON object, at most 64 kB' });

export const venueIdsSchema = Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
  maxItems: 100,
  description: 'objectIds of the venues to which the user belongs, which rules know as $auth.venues',
});
export const venuesShape = defineShape(Type.Object({ venueIds: venueIdsSchema }));

const accountSchema = Type.Object({
  ...names,
  email,
  password,
  middlename: Type.Optional(middlename),
  country: Type.Optional(country),
  phone: Type.Optional(phone),
  metadata: Type.Optional(metadata),
});
export type AccountBody = Static<typeof accountSchema>;

const isPhone = (text: string) => /^[+0-9 ()./-]+$/.test(text) && text.replace(/\D/g, '').length >= 3;

export const accountShape = defineShape(accountSchema, {
  rules: (account) => [
    ...problemUnless('email', account.email, isEmailAddress, 'must be an e-mail address such as vera@example.org'),
    ...problemUnless('country', account.country, (text) => /^[A-Za-z]{2}$/.test(text), 'must be two letters'),
    ...problemUnless(
      'phone',
      account.phone,
      isPhone,
      'must be a phone number: at least 3 digits, and spaces + ( ) - . /',
    ),
    ...metadataProblems(account.metadata),
  ],
});

/** The error of each member; the order decides when several are wrong. */
const memberErrors: readonly (readonly [string, ErrorName, whenBlank?: ErrorName])[] = [
  ['firstname', 'InvalidFirstName'],
  ['lastname', 'InvalidLastName'],
  ['email', 'InvalidEmailAddress', 'UserEmailMissing'],
  ['password', 'ValidationError', 'PasswordMissing'],
  ['middlename', 'InvalidMiddleName'],
  ['country', 'InvalidCountry'],
  ['phone', 'InvalidPhone'],
];

export const accountErrors: readonly ErrorName[] = [
  ...new Set(memberErrors.flatMap(([, name, whenBlank]) => (whenBlank ? [name, whenBlank] : [name]))),
];

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** The error of the first wrong member, with all problems as details. */
function accountFailure(body: unknown, details: readonly Problem[]): Failure {
  const wrong = new Set(details.map(({ field }) => field.split('.')[0]));
  const [member = '', name = 'ValidationError', whenBlank] = memberErrors.find(([field]) => wrong.has(field)) ?? [];
  const isMissing = whenBlank !== undefined && isObject(body) && isBlank(body[member]);
  return fail(isMissing ? whenBlank : name, { message: sentence(details), details });
}

function passwordProblems(given: unknown, app: AppContext): Problem[] {
  const least = app.policy.passwordMinLength;
  if (typeof given !== 'string' || given === '' || isLongerThan(given, least - 1)) return [];
  return [{ field: 'password', problem: `must have at least ${least} characters` }];
}

/** Reads a body with `read` and adds what the app's own policy requires of a password. */
function readAccount<T>(body: unknown, app: AppContext, read: () => T): T {
  const ofPolicy = isObject(body) ? passwordProblems(body['password'], app) : [];
  try {
    const value = read();
    if (ofPolicy.length === 0) return value;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const others = error.details.filter(
      ({ field, problem }) =>
        ofPolicy.length === 0 || field !== 'password' || !problem.startsWith('must have at least'),
    );
    throw accountFailure(body, [...others, ...ofPolicy]);
  }
  throw accountFailure(body, ofPolicy);
}

export function readSignUp(body: unknown, app: AppContext): AccountBody {
  return readAccount(body, app, () => accountShape.readCreate(body));
}

const currentPassword = Type.Optional(
  Type.String({ description: 'The current password. Required to change the e-mail or the password' }),
);

/** The members that PUT and PATCH of the own account accept. */
export const accountChangeSchema = Type.Object({
  ...accountSchema.properties,
  currentPassword,
});

export interface AccountChanges extends Changes<AccountBody> {
  readonly currentPassword: string | undefined;
}

export function readAccountChanges(body: unknown, app: AppContext): AccountChanges {
  const changes = readAccount(body, app, () => accountShape.readUpdate(body));
  const given = isObject(body) ? (body['currentPassword'] ?? undefined) : undefined;
  if (given === undefined || typeof given === 'string') return { ...changes, currentPassword: given };
  throw accountFailure(body, [{ field: 'currentPassword', problem: 'must be a string' }]);
}

/** @throws Failure PasswordMissing */
export function currentPasswordMissing(): Failure {
  const details = [{ field: 'currentPassword', problem: 'is required to change the e-mail or the password' }];
  return fail('PasswordMissing', { message: sentence(details), details });
}

export { maxPasswordLength };

export const signInSchema = Type.Object({ email: Type.String(), password: Type.String(), refresh: refreshMember });
export type SignIn = Static<typeof signInSchema>;

/** At sign-in only missing members are reported: anything else that is wrong is a wrong e-mail address or password. */
export function readSignIn(body: unknown): SignIn {
  const given = requireObject(body);
  const refresh = given['refresh'] ?? undefined;
  const details: Problem[] = ['email', 'password'].flatMap((field) => {
    if (isBlank(given[field])) return [{ field, problem: 'is required' }];
    return typeof given[field] === 'string' ? [] : [{ field, problem: 'must be a string' }];
  });
  if (refresh !== undefined && typeof refresh !== 'boolean')
    details.push({ field: 'refresh', problem: 'must be a boolean' });
  const [first] = details;
  if (!first) {
    const login = { email: String(given['email']), password: String(given['password']) };
    return refresh === undefined ? login : { ...login, refresh: refresh === true };
  }
  const missing = first.field === 'email' ? 'UsernameMissing' : 'PasswordMissing';
  throw fail(isBlank(given[first.field]) ? missing : 'ValidationError', { message: sentence(details), details });
}

export const forgotSchema = Type.Object({ email });

export function readForgot(body: unknown): Static<typeof forgotSchema> {
  const given = requireObject(body)['email'];
  if (typeof given === 'string' && !isLongerThan(given, maxEmailLength) && isEmailAddress(given))
    return { email: given };
  throw accountFailure(body, [
    { field: 'email', problem: isBlank(given) ? 'is required' : 'must be an e-mail address' },
  ]);
}

export const resetSchema = Type.Object({
  token: Type.String({ description: 'From the mail; valid for one hour and one use' }),
  password,
});

export function readReset(body: unknown, app: AppContext): Static<typeof resetSchema> {
  const { token } = requireObject(body);
  const { set } = readAccountChanges({ password: (body as Record<string, unknown>)['password'] ?? null }, app);
  if (typeof token === 'string' && token !== '') return { token, password: set.password ?? '' };
  const details = [{ field: 'token', problem: token === undefined ? 'is required' : 'must be a string' }];
  throw fail('ValidationError', { message: sentence(details), details });
}

function requireObject(body: unknown): Readonly<Record<string, unknown>> {
  if (isObject(body)) return body;
  throw fail('ValidationError', {
    message: 'The body must be a JSON object.',
    details: [{ field: '', problem: 'must be a JSON object' }],
  });
}

export const accountExample = {
  firstname: 'Vera',
  lastname: 'Visitor',
  email: 'vera@example.org',
  password: 'correct horse',
  country: 'AT',
  phone: '+43 1 234567',
  metadata: { language: 'de' },
};
