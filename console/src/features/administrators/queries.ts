import { call } from '../../lib/data/api.ts';

/** An administrator with the tag that a change needs; records in the list have none. */
export const readAdministrator = async (adminId: string) =>
  (await call('getAdministrator', { params: { adminId } })).result;
