import type { RuledFields } from '../access/rules/check.ts';
import type { Clock } from '../base/clock.ts';
import type { Passwords } from '../base/passwords.ts';
import type { Database } from '../db/db.ts';
import type { CacheVersion } from '../db/nodes/cache-version.ts';
import type { TargetRules } from '../delivery/provider/target-rules.ts';
import type { Outbox } from '../jobs/outbox.ts';
import type { Resource } from '../resources/define.ts';
import type { NotifyOfChange } from '../sign-in/change-mail.ts';
import type { IssuerKeys } from '../sign-in/oidc/issuer-keys.ts';
import type { InBackground } from './feature.ts';

/**
 * What a command of the command line has as well as the service. Each family adds in its `offers.ts` what others may use of it, so that
 * no feature imports another.
 */
export interface Services {
  readonly db: Database;
  readonly now: Clock;
  readonly inBackground: InBackground;
  readonly cacheVersion: CacheVersion;
  readonly passwords: Passwords;
  readonly outbox: Outbox;
  readonly enqueue: Outbox['enqueue'];
  /** What may be called at the wish of an administrator. */
  readonly targets: TargetRules;
  readonly issuerKeys: IssuerKeys;
  readonly canMail: boolean;
  /** Mails to users what has changed in their accounts; undefined while no mail server is configured. */
  readonly tell: NotifyOfChange | undefined;
  readonly resources: readonly Resource[];
  /** What the rules of an app can speak of. */
  readonly ruledFields: RuledFields;
  /** Deletes all rows of an app, a few at a time. Call it again to finish after an interruption. */
  readonly emptyApp: (db: Database, appId: string) => Promise<void>;
}

/** How each of these members is made from the others. */
export type Makers<C, K extends keyof C> = { readonly [N in K]: (context: C) => C[N] };

/**
 * Adds what is made once, when it is first asked for. What is needed only later is read later (`context.x` inside a function).
 *
 * @throws Error when a member is asked for while it is being made
 */
export function provide<C extends object, K extends keyof C>(given: Omit<C, K>, makers: Makers<C, K>): C {
  const context = { ...given } as C;
  for (const name of Object.keys(makers) as K[]) {
    let isBeingMade = false;
    Object.defineProperty(context, name, {
      configurable: true,
      enumerable: true,
      get() {
        if (isBeingMade) throw new Error(`${String(name)} is needed to make itself.`);
        isBeingMade = true;
        const value = makers[name](context);
        Object.defineProperty(context, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return context;
}
