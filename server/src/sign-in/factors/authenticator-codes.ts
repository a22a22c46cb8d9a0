import { secretHash } from '../../access/access.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { SecretBox } from '../../base/secrets.ts';
import type { Db } from '../../db/db.ts';
import { clientNetwork, type RateLimiter } from '../../limits/rate-limit.ts';
import type { FactorStore, OwnerColumns } from './factor-store.ts';
import { recoveryCodeHash } from './recovery-codes.ts';
import { newTotpSecret, readCode, stepOfCode, totpAddress } from './totp.ts';

/**
 * Codes of one account, from wherever they come: a guesser who knows the password may use many addresses, and of a
 * million codes three are right. Ten at once, then twelve an hour. Somebody who knows the password must not lock out the owner
 * with it, so the network that last sent a right code has a separate limit.
 */
const guesses = Object.freeze({ perSecond: 1 / 300, burst: 10 });

export interface CodeDeps<Owner extends OwnerColumns> {
  readonly store: FactorStore<Owner>;
  readonly now: Clock;
  readonly secrets: SecretBox;
  readonly limiter: RateLimiter;
  /** What somebody can give instead of a code, for messages. */
  readonly otherwise: string;
  /** Names the account: secrets are sealed for it, and guesses are counted by it. */
  readonly nameOf: (owner: Owner) => string;
}

/** Authenticator apps and recovery codes: what is proved beside a password. */
export class AuthenticatorCodes<Owner extends OwnerColumns> {
  readonly #deps: CodeDeps<Owner>;

  constructor(deps: CodeDeps<Owner>) {
    this.#deps = deps;
  }

  /** Uses up the code; the same one is not accepted again. @throws Failure UserInvalidLoginParams, APICallLimit */
  async useCode(db: Db, owner: Owner, { code: typed, address }: { code: string; address: string }): Promise<void> {
    const { store, now, limiter, nameOf, otherwise } = this.#deps;
    const code = readCode(typed);
    const totp = await store.findTotp(db, owner);
    // With the account in it, so that the stored hash says nothing about an address that others use as well.
    const network = secretHash(`${nameOf(owner)} ${clientNetwork(address)}`);
    const isKnown = totp?.known_network === network;
    const key = `factor ${nameOf(owner)}${isKnown ? ' known' : ''}`;
    const wait = limiter.tryTake(key, guesses, now());
    if (wait !== undefined)
      throw fail('APICallLimit', {
        message: `Too many codes were tried. Try again in ${wait} s, or use ${otherwise}.`,
        retryAfter: wait,
      });
    const secret = totp?.secret ?? undefined;
    const step = secret === undefined ? undefined : await stepOfCode(this.#open(owner, secret), code, now());
    const isUsed =
      secret !== undefined && step !== undefined && (await store.useTotpStep(db, owner, { secret, step, network }));
    if (isUsed) {
      limiter.giveBack(key, guesses);
      return;
    }
    throw fail(
      'UserInvalidLoginParams',
      step === undefined
        ? 'This code is wrong. Enter the one that the app shows now; its clock must be right.'
        : 'This code was used already. Wait for the next one.',
    );
  }

  /** @throws Failure UserInvalidLoginParams */
  async useRecoveryCode(db: Db, owner: Owner, typed: string): Promise<void> {
    const { store } = this.#deps;
    if (await store.useRecoveryCode(db, owner, recoveryCodeHash(typed))) return;
    throw fail('UserInvalidLoginParams', 'This recovery code is wrong, or was used already.');
  }

  /** A secret for the authenticator app. It counts once a code proves that the app has it. */
  async start(
    db: Db,
    owner: Owner,
    { account, issuer }: { readonly account: string; readonly issuer: string },
  ): Promise<{ secret: string; address: string }> {
    const { store, secrets, nameOf } = this.#deps;
    const secret = await newTotpSecret();
    await store.savePendingTotp(db, owner, secrets.seal(secret, sealedFor(nameOf(owner))));
    return { secret, address: await totpAddress(secret, account, issuer) };
  }

  /**
   * The secret that was started, if the code is one of it.
   *
   * @throws Failure ValidationError, ObjectNotFound when none was started
   */
  async readStarted(db: Db, owner: Owner, typed: string): Promise<{ pending: string; step: number }> {
    const { store, now } = this.#deps;
    const code = readCode(typed);
    const { pending } = (await store.findTotp(db, owner)) ?? { pending: null };
    if (pending === null) throw fail('ObjectNotFound', 'No authenticator app is being set up. Start again.');
    const step = await stepOfCode(this.#open(owner, pending), code, now());
    if (step !== undefined) return { pending, step };
    const problem = 'is wrong; enter the one that the app shows now, and check the clock of the phone';
    throw fail('ValidationError', { message: `The code ${problem}.`, details: [{ field: 'code', problem }] });
  }

  /** In a transaction. @throws Failure ObjectNotFound when another secret was started since */
  async enable(db: Db, owner: Owner, started: { readonly pending: string; readonly step: number }): Promise<void> {
    const { store, now } = this.#deps;
    if (!(await store.enableTotp(db, owner, { ...started, now: now() })))
      throw fail('ObjectNotFound', 'This secret was replaced by another one. Start again.');
  }

  #open(owner: Owner, sealed: string): string {
    const { secrets, nameOf, otherwise } = this.#deps;
    try {
      return secrets.open(sealed, sealedFor(nameOf(owner)));
    } catch (cause) {
      throw fail('OperationForbidden', {
        message: `Codes cannot be checked: the key with which their secret was stored is not configured here (PHAROS_SECRET_KEY, or secret.key in the data folder). Use ${otherwise}.`,
        cause,
      });
    }
  }
}

const sealedFor = (name: string) => `${name} totp`;
