import { PharosError } from '@pharos/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { canUsePasskeys, signInWithPasskey } from '../../lib/data/passkeys.ts';
import { t } from '../../lib/words/words.ts';
import { useFields } from '../form/use-fields.ts';

type SignedIn = Awaited<ReturnType<typeof signInWithPasskey>>;

/** What can be given beside the password, the likeliest first. */
export const ways = ['code', 'passkey', 'recoveryCode'] as const;
export type Way = (typeof ways)[number];

const empty = { password: '', code: '', recoveryCode: '' };

/** Signing in: with a password and, if there is a second factor, a proof of it; or with a passkey. */
export function useSignIn(knownEmail: string | undefined, after: (answer: SignedIn) => unknown) {
  const fields = useFields({ email: '', ...empty });
  /** What can be given beside the password, once that is right. */
  const [proofs, setProofs] = useState<readonly string[]>();
  const [way, setWay] = useState<Way>('code');
  const withPassword = useAction({
    run: () => {
      const { email, password, code, recoveryCode } = fields.values;
      const proof = proofs === undefined ? {} : way === 'recoveryCode' ? { recoveryCode } : { code };
      return call('signInToConsole', { body: { email: knownEmail ?? email, password, ...proof } });
    },
    showsError: true,
    after,
  });
  const withPasskey = useAction({ run: signInWithPasskey, showsError: true, after });

  function onError(error: Error) {
    if (error instanceof PharosError && error.name === 'SecondFactorNeeded') {
      const named = error.details.map(({ field }) => field);
      setProofs(named);
      const isPossible = (one: Way) => named.includes(one) && (one !== 'passkey' || canUsePasskeys());
      setWay(ways.find(isPossible) ?? 'recoveryCode');
      fields.setFailure(null);
    } else fields.setFailure(error);
  }
  function back() {
    setProofs(undefined);
    fields.reset({ ...fields.values, ...empty });
  }
  const askPasskey = () => withPasskey.mutate(undefined, { onError });
  const isSigning = proofs !== undefined && way === 'passkey';
  return {
    fields,
    proofs,
    way,
    /** On the button of the form. */
    submitText: isSigning ? t('Use a passkey') : t('Sign in'),
    isBusy: withPassword.isPending || (isSigning && withPasskey.isPending),
    isAskingPasskey: withPasskey.isPending,
    submit: () => (isSigning ? askPasskey() : withPassword.mutate(undefined, { onError })),
    askPasskey,
    take(other: Way) {
      setWay(other);
      fields.setFailure(null);
      if (other === 'passkey') askPasskey();
    },
    back,
  };
}

export type SignIn = ReturnType<typeof useSignIn>;
