import type { Body, Call, CallOptions, Query } from '../call.ts';
import { PharosError } from '../error.ts';

/** Where the client keeps the access token. */
export interface TokenHolder {
  token: string | undefined;
}

/** The people who use the app. */
export const userService = (call: Call, holder: TokenHolder) => ({
  signUp: async (body: Body<'signUp'>, options: CallOptions = {}) =>
    (await call('signUp', { body, ...options })).result,
  /** Signs in; the client then sends the token. Keep `accessToken` to stay signed in after a restart. */
  signIn: async (body: Body<'signIn'>, options: CallOptions = {}) => {
    const answer = await call('signIn', { body, ...options });
    holder.token = answer.accessToken;
    return answer;
  },
  /** Signs in with the ID token of an identity provider, which is accepted once. `isNew`: the account was made just now. */
  signInWithToken: async (body: Body<'signInWithToken'>, options: CallOptions = {}) => {
    const answer = await call('signInWithToken', { body, ...options });
    holder.token = answer.accessToken;
    return answer;
  },
  /** Ends the token in the service and forgets it here. */
  signOut: async (options: CallOptions = {}): Promise<void> => {
    try {
      await call('signOut', options);
    } catch (error) {
      // The token is no longer valid: already signed out.
      if (!(error instanceof PharosError) || error.name !== 'InvalidSessionToken') throw error;
    }
    holder.token = undefined;
  },
  list: (query: Query = {}, options: CallOptions = {}) => call('listUsers', { query, ...options }),
  me: async (options: CallOptions = {}) => (await call('getMe', options)).result,
  updateMe: async (body: Body<'updateMe'>, options: CallOptions = {}) =>
    (await call('updateMe', { body, ...options })).result,
  /** Everything that is known of the signed-in user. */
  exportMe: (options: CallOptions = {}) => call('exportMe', options),
  /** Erases the signed-in user, with everything that is known. Answers the id of the receipt; see `erasure`. */
  deleteMe: async (options: CallOptions = {}): Promise<{ readonly erasureId: string }> => {
    const { result } = await call('deleteMe', options);
    holder.token = undefined;
    return result;
  },
  /** The receipt of an erasure. */
  erasure: async (erasureId: string, options: CallOptions = {}) =>
    (await call('getErasure', { params: { objectId: erasureId }, ...options })).result,
});
