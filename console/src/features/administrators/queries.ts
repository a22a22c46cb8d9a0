import { call } from '../../lib/data/api.ts';

/** An administrator with the tag for a change, which those of the list have not. */
export const readAdministrator = async (adminId: string) =>
  (await call('getAdministrator', { params: { adminId } })).result;
