import type { Body, Call, Query } from '../call.ts';

/** Where the client keeps the access token. */
export interface TokenHolder {
  token: string | undefined;
}

/** The people who use the app. */
export const userService = (call: Call, holder: TokenHolder) => ({
  signUp: async (body: Body<'signUp'>) => (await call('signUp', { body })).result,
  /** Signs in; the client sends the token from then on. Keep `accessToken` to stay signed in after a restart. */
  signIn: async (body: Body<'signIn'>) => {
    const answer = await call('signIn', { body });
    holder.token = answer.accessToken;
    return answer;
  },
  /** Ends the token in the service and forgets it here. */
  signOut: async (): Promise<void> => {
    await call('signOut', {});
    holder.token = undefined;
  },
  list: (query: Query = {}) => call('listUsers', { query }),
  me: async () => (await call('getMe', {})).result,
  updateMe: async (body: Body<'updateMe'>) => (await call('updateMe', { body })).result,
  /** Erases the account of the signed-in user. */
  deleteMe: async (): Promise<void> => {
    await call('deleteMe', {});
    holder.token = undefined;
  },
});
