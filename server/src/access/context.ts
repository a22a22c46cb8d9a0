import type { AppPolicy } from './policy.ts';
import type { AppPseudonyms } from './pseudonyms/pseudonyms.ts';
import type { DryRun } from './rules/dry-run.ts';
import type { RuleUser } from './rules/rule-types.ts';
import type { AppRules } from './rules/rules.ts';

/** The app whose credentials a request carries. */
export interface AppContext {
  readonly appId: string;
  readonly name: string;
  readonly policy: AppPolicy;
  readonly rules: AppRules;
  /** Of an app that names phones by daily pseudonyms, or did. */
  readonly pseudonyms?: AppPseudonyms;
  /** Other rules, and the counter of what they would refuse. */
  readonly dryRun?: DryRun;
}

export type UserRole = RuleUser['role'];

export interface UserContext extends RuleUser {
  /** As the client sent it. */
  readonly accessToken: string;
  readonly tokenHash: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}
