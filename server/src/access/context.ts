import type { AppPolicy } from './policy.ts';

/** The app whose credentials a request carries. */
export interface AppContext {
  readonly appId: string;
  readonly name: string;
  readonly policy: AppPolicy;
}

export type UserRole = 'user' | 'manager';

/** The signed-in user of a request. */
export interface UserContext {
  readonly userId: string;
  readonly role: UserRole;
  /** As the client sent it. */
  readonly accessToken: string;
  readonly tokenHash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}
