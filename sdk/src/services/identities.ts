import type { Body, Call, CallOptions } from '../call.ts';
import * as operations from '../operations.ts';

/** The identities of the signed-in user at Google, Apple and other identity providers. */
export const identityService = (call: Call) => ({
  list: (options: CallOptions = {}) => call(operations.listIdentities, options),
  /** From then on the identity signs in to the account. */
  link: async (body: Body<'linkIdentity'>, options: CallOptions = {}) =>
    (await call(operations.linkIdentity, { body, ...options })).result,
  unlink: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.unlinkIdentity, { params: { objectId }, ...options });
  },
});
