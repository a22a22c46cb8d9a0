import type { Body, Call, CallOptions, Query } from '../call.ts';
import { PharosError } from '../error.ts';
import * as operations from '../operations.ts';
import type { Session } from '../session.ts';

/** The people who use the app. */
export const userService = (call: Call, session: Session) => ({
  signUp: async (body: Body<'signUp'>, options: CallOptions = {}) =>
    (await call(operations.signUp, { body, ...options })).result,
  /**
   * Signs in; the client then sends the token. With `refresh: true` it renews the token when that has expired. Keep what
   * `onTokens` is given to stay signed in after a restart. Where a second factor is due it throws `SecondFactorNeeded` or
   * `EnrolmentNeeded` with a `challenge`, as every way to sign in does: see `finishSignIn` and `startTotpAtSignIn`.
   */
  signIn: async (body: Body<'signIn'>, options: CallOptions = {}) => {
    const answer = await call(operations.signIn, { body, ...options });
    await session.keep(answer);
    return answer;
  },
  /** Signs in with the ID token of an identity provider, which is accepted once. `isNew`: the account was made just now. */
  signInWithToken: async (body: Body<'signInWithToken'>, options: CallOptions = {}) => {
    const answer = await call(operations.signInWithToken, { body, ...options });
    await session.keep(answer);
    return answer;
  },
  /** Finishes a sign-in that threw a `challenge`, with a code of the authenticator app or a recovery code. */
  finishSignIn: async (body: Body<'finishSignIn'>, options: CallOptions = {}) => {
    const answer = await call(operations.finishSignIn, { body, ...options });
    await session.keep(answer);
    return answer;
  },
  /** The secret of an authenticator app, for a sign-in that threw `EnrolmentNeeded`; `finishSignIn` takes a code of it. */
  startTotpAtSignIn: async (challenge: string, options: CallOptions = {}) =>
    (await call(operations.startTotpAtSignIn, { body: { challenge }, ...options })).result,
  /** What `navigator.credentials.get`, or its like on a phone, takes to sign in with a passkey. */
  startPasskeySignIn: async (options: CallOptions = {}) => (await call(operations.startPasskeySignIn, options)).result,
  /** Signs in with what the passkey has answered. */
  signInWithPasskey: async (body: Body<'signInWithPasskey'>, options: CallOptions = {}) => {
    const answer = await call(operations.signInWithPasskey, { body, ...options });
    await session.keep(answer);
    return answer;
  },
  /** Asks for a mail whose link opens the app (policy `signInLinkUrl`) with a token for `signInWithLink`. */
  requestSignInLink: async (email: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.requestSignInLink, { body: { email }, ...options });
  },
  /** Signs in with the `token` of a mailed link, which is good once and for 15 minutes. */
  signInWithLink: async (body: Body<'signInWithLink'>, options: CallOptions = {}) => {
    const answer = await call(operations.signInWithLink, { body, ...options });
    await session.keep(answer);
    return answer;
  },
  /** Asks for a mail to confirm the address of an account. */
  requestVerification: async (email: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.requestVerification, { body: { email }, ...options });
  },
  /** Confirms an address with the token of the mail. */
  verifyEmail: async (token: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.verifyEmail, { body: { token }, ...options });
  },
  /** Asks for a mail with a link to a new password; its `token` is for `resetPassword`. */
  requestPasswordReset: async (email: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.forgotPassword, { body: { email }, ...options });
  },
  /** Sets a new password with the `token` of the mail, which is good once. Sign in with it then. */
  resetPassword: async (body: Body<'resetPassword'>, options: CallOptions = {}): Promise<void> => {
    await call(operations.resetPassword, { body, ...options });
  },
  /** Ends the token in the service and forgets it here. */
  signOut: async (options: CallOptions = {}): Promise<void> => {
    try {
      await call(operations.signOut, options);
    } catch (error) {
      // The token is no longer valid: already signed out.
      if (!(error instanceof PharosError) || error.name !== 'InvalidSessionToken') throw error;
    }
    await session.forget();
  },
  /** The sessions of the signed-in user, newest first. */
  sessions: async (options: CallOptions = {}) => (await call(operations.listSessions, options)).results,
  endSession: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.endSession, { params: { objectId }, ...options });
  },
  /** Ends all sessions but this one. */
  endOtherSessions: async (options: CallOptions = {}): Promise<void> => {
    await call(operations.endOtherSessions, options);
  },
  list: (query: Query = {}, options: CallOptions = {}) => call(operations.listUsers, { query, ...options }),
  me: async (options: CallOptions = {}) => (await call(operations.getMe, options)).result,
  updateMe: async (body: Body<'updateMe'>, options: CallOptions = {}) =>
    (await call(operations.updateMe, { body, ...options })).result,
  /** Everything that is known of the signed-in user. */
  exportMe: (options: CallOptions = {}) => call(operations.exportMe, options),
  /**
   * Erases the signed-in user, with everything that is known. Answers the id of the receipt; see `erasure`. In apps whose policy says
   * so it throws `OperationForbidden` unless the user has signed in within the last ten minutes.
   */
  deleteMe: async (options: CallOptions = {}): Promise<{ readonly erasureId: string }> => {
    const { result } = await call(operations.deleteMe, options);
    await session.forget();
    return result;
  },
  /** The receipt of an erasure. */
  erasure: async (erasureId: string, options: CallOptions = {}) =>
    (await call(operations.getErasure, { params: { objectId: erasureId }, ...options })).result,
});
