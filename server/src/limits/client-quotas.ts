import type { AppContext, UserContext } from '../access/context.ts';
import { fail } from '../base/errors.ts';
import { clientNetwork, type RateLimiter, type RateRule } from './rate-limit.ts';

/** The client that uploads or sends. */
export interface Consumer {
  readonly app: AppContext;
  readonly user: UserContext | undefined;
  readonly address: string;
  /** An administrator in the console, for whom these limits do not apply. */
  readonly isAdministrator: boolean;
  /** A caller that acts for the app itself has the managers' allowance. */
  readonly secretKey: object | undefined;
  readonly now: number;
}

type Budget = readonly [key: string, rule: RateRule, tokens: number];

const hourS = 3_600;
const perHour = (amount: number, burst = amount): RateRule => ({
  perSecond: amount / hourS,
  burst: Math.max(1, burst),
});

/**
 * Limits what one client may upload and send in an hour, so that somebody with only the app's key can neither fill the
 * disk nor keep sending to everybody. Applies while the app's request limit is on.
 */
export class ClientQuotas {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** @throws Failure APICallLimit */
  takeUpload(consumer: Consumer, bytes: number): void {
    const { uploadsPerHour, uploadBytesPerHour } = consumer.app.policy.quotas;
    const budgets = clientsOf(consumer).flatMap((client): Budget[] => [
      [`uploads ${client}`, perHour(uploadsPerHour), 1],
      // A file larger than the hourly quota needs a full budget.
      [`bytes ${client}`, perHour(uploadBytesPerHour), Math.min(bytes, uploadBytesPerHour)],
    ]);
    this.#take(consumer, budgets, 'uploads');
  }

  /** Returns what was taken for an upload that announced no length and turned out to have `bytes`. */
  settleUpload(consumer: Consumer, taken: number, bytes: number): void {
    const { app, isAdministrator } = consumer;
    const { uploadBytesPerHour } = app.policy.quotas;
    const unused = Math.min(taken, uploadBytesPerHour) - bytes;
    if (unused <= 0 || isAdministrator || !app.policy.rateLimit.enabled) return;
    for (const client of clientsOf(consumer))
      this.#limiter.giveBack(`bytes ${client}`, perHour(uploadBytesPerHour), unused);
  }

  /** @throws Failure APICallLimit */
  takePush(consumer: Consumer): void {
    const { app, user, secretKey } = consumer;
    const most = app.policy.quotas.pushesPerHour;
    // Half of an hour's budget at once: enough for an app's day, too little to annoy people.
    const ofAll = perHour(most, most / 2);
    const ofOne = perHour(most / 2, most / 4);
    const budgets: Budget[] =
      secretKey || user?.role === 'manager'
        ? [[`pushes of managers ${app.appId}`, ofAll, 1]]
        : [
            ...clientsOf(consumer).map((client): Budget => [`pushes ${client}`, ofOne, 1]),
            [`pushes ${app.appId}`, ofAll, 1],
          ];
    this.#take(consumer, budgets, 'pushes');
  }

  /** Takes from all budgets or from none. */
  #take({ app, isAdministrator, now }: Consumer, budgets: readonly Budget[], what: string): void {
    if (isAdministrator || !app.policy.rateLimit.enabled) return;
    for (const [index, [key, rule, tokens]] of budgets.entries()) {
      const retryAfter = this.#limiter.tryTake(key, rule, now, tokens);
      if (retryAfter === undefined) continue;
      for (const [taken, rule, tokens] of budgets.slice(0, index)) this.#limiter.giveBack(taken, rule, tokens);
      const message = `The hourly limit of ${what} is reached. Try again in ${retryAfter} s.`;
      throw fail('APICallLimit', { message, retryAfter });
    }
  }
}

function clientsOf({ app, user, address }: Consumer): string[] {
  return [`${app.appId} ${clientNetwork(address)}`, ...(user ? [`${app.appId} user ${user.userId}`] : [])];
}
