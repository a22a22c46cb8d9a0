import type { Body, Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';

/** The app on one phone, tablet or computer, which messages can reach. */
export const installationService = (call: Call) => ({
  /** Registers the installation, or updates it. Call it at each start of the app. */
  register: async (body: Body<'registerInstallation'>, options: CallOptions = {}) =>
    (await call(operations.registerInstallation, { body, ...options })).result,
  /**
   * Notes what the visitor has agreed to or refused; purposes that are not named stay as they are. It registers the
   * installation, with nothing else about it. A refusal takes effect at once.
   */
  setConsent: async (
    installation: Pick<Body<'registerInstallation'>, 'installationId' | 'deviceToken' | 'deviceType'>,
    consents: NonNullable<Body<'registerInstallation'>['consents']>,
    options: CallOptions = {},
  ) => (await call(operations.registerInstallation, { body: { ...installation, consents }, ...options })).result,
  /**
   * Makes this phone one on which an editor tests messages. `code` is what the console shows: the text of the QR code, the link
   * that it opened, or the letters. It needs `secretStorage`, and `objectId` is what `register` answered.
   */
  pair: async (objectId: string, code: string, options: CallOptions = {}) =>
    (await call(operations.pairInstallation, { params: { objectId }, body: { code }, ...options })).result,
  list: (query: Query = {}, options: CallOptions = {}) => call(operations.listInstallations, { query, ...options }),
  get: async (objectId: string, options: CallOptions = {}) =>
    (await call(operations.getInstallation, { params: { objectId }, ...options })).result,
  /** Replaces the members that are sent and keeps the rest. */
  update: async (objectId: string, body: Body<'updateInstallation'>, options: CallOptions = {}) =>
    (await call(operations.updateInstallation, { params: { objectId }, body, ...options })).result,
  delete: async (objectId: string, options: CallOptions = {}): Promise<void> => {
    await call(operations.deleteInstallation, { params: { objectId }, ...options });
  },
});
