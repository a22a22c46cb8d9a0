import type { Body, Call, CallOptions } from '../call.ts';
import * as operations from '../operations.ts';

/** The second factor and the passkeys of the signed-in user, if the app has switched them on. */
export const factorService = (call: Call) => ({
  get: async (options: CallOptions = {}) => (await call(operations.getMyFactors, options)).result,
  /** Begins to set up an authenticator app: `address` is for the QR code. `body` needs the password unless the sign-in is fresh. */
  startTotp: async (body: Body<'startTotp'> = {}, options: CallOptions = {}) =>
    (await call(operations.startTotp, { body, ...options })).result,
  /** Sets the authenticator app up with a code of it. Show the recovery codes; they do not come again. */
  enableTotp: async (code: string, options: CallOptions = {}) =>
    (await call(operations.enableTotp, { body: { code }, ...options })).result,
  /** Removes the authenticator app. Needs a sign-in in the last 10 minutes. */
  disableTotp: async (options: CallOptions = {}): Promise<void> => {
    await call(operations.disableTotp, options);
  },
  /** New recovery codes in the place of the former ones. */
  renewRecoveryCodes: async (options: CallOptions = {}) => (await call(operations.renewRecoveryCodes, options)).result,
  passkeys: async (options: CallOptions = {}) => (await call(operations.listPasskeys, options)).results,
  /** What `navigator.credentials.create`, or its like on a phone, takes. */
  startPasskey: async (body: Body<'startPasskey'> = {}, options: CallOptions = {}) =>
    (await call(operations.startPasskey, { body, ...options })).result,
  /** Adds what the phone or browser has made. */
  addPasskey: async (body: Body<'addPasskey'>, options: CallOptions = {}) =>
    (await call(operations.addPasskey, { body, ...options })).result,
  renamePasskey: async (objectId: string, name: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.renamePasskey, { params: { objectId }, body: { name }, ...options });
  },
  removePasskey: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.removePasskey, { params: { objectId }, ...options });
  },
});
