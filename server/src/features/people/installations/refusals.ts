import { fail, type Problem } from '../../../base/errors.ts';
import { sentence } from '../../../http/shape.ts';

/** Why an installation is not registered or changed as it was sent, and what helps. */

export function unchangeable(fields: readonly string[]) {
  return invalid(fields.map((field) => ({ field, problem: 'cannot change once it is registered' })));
}

export function notSignedIn() {
  return fail(
    'OperationForbidden',
    'userId: an installation can only be linked to the user whose bearer is sent. Sign in and register it again. A server links it with a secret key.',
  );
}

export function invalid(details: readonly Problem[]) {
  return fail('ValidationError', { message: sentence(details), details });
}

export function notAgreed() {
  return fail(
    'OperationForbidden',
    'userId: the visitor has not agreed that the installation is linked to an account. Ask, and send consents.identity with ' +
      'granted true and the textVersion that was shown.',
  );
}

export function notProven() {
  return fail(
    'OperationForbidden',
    'consents.analytics.erase: send the bearer of its user or the stored device token with it, as proof that it is the same phone.',
  );
}

export function topicTaken() {
  return fail(
    'OperationForbidden',
    'deviceToken: another installation is reached under this topic. Choose another one, or send the bearer of its user.',
  );
}

export function topicProvesNothing() {
  return fail(
    'OperationForbidden',
    'This installation has a user, and its topic does not prove that it is the same device: send its Installation-Secret or the bearer ' +
      'of its user, or register it with a secret key that may update installations.',
  );
}

export function alreadyRegistered() {
  return fail(
    'OperationForbidden',
    'This installation is registered already, and this secret key may only register new ones. Give it the scope ' +
      'installations:update, or send the Installation-Secret of the phone.',
  );
}

export function secretRequired() {
  return invalid([
    {
      field: 'Installation-Secret',
      problem: 'is required: the app registers installations with an installationId and a secret',
    },
  ]);
}
