import { FactorStore, type PasskeyRow as StoredPasskey } from '../../../../sign-in/factors/factor-store.ts';

/** Whose factors: the columns that name an administrator. */
export type AdminKey = { readonly admin_id: string };
export type PasskeyRow = StoredPasskey & AdminKey;

export const keyOf = (adminId: string): AdminKey => ({ admin_id: adminId });

/** What administrators prove beside a password or instead of it. */
export const store = new FactorStore<AdminKey>('admin');
