import { PharosError } from '@pharos/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { signInWithPasskey } from '../../lib/data/passkeys.ts';
import { useFields } from '../form/use-fields.ts';

type SignedIn = Awaited<ReturnType<typeof signInWithPasskey>>;

const empty = { password: '', code: '', recoveryCode: '' };

/** Signing in: with a password and, if there is a second factor, a proof of it; or with a passkey. */
export function useSignIn(knownEmail: string | undefined, after: (answer: SignedIn) => unknown) {
  const fields = useFields({ email: '', ...empty });
  /** What can be given beside the password, once that is right. */
  const [proofs, setProofs] = useState<readonly string[]>();
  const [isRecovering, setRecovering] = useState(false);
  const withPassword = useAction({
    run: () => {
      const { email, password, code, recoveryCode } = fields.values;
      const proof = proofs === undefined ? {} : isRecovering ? { recoveryCode } : { code };
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
      setRecovering(!named.includes('code'));
      fields.setFailure(null);
    } else fields.setFailure(error);
  }
  function back() {
    setProofs(undefined);
    fields.reset({ ...fields.values, ...empty });
  }
  return {
    fields,
    proofs,
    isRecovering,
    isBusy: withPassword.isPending,
    isAskingPasskey: withPasskey.isPending,
    submit: () => withPassword.mutate(undefined, { onError }),
    usePasskey: () => withPasskey.mutate(undefined, { onError }),
    recover(isWanted: boolean) {
      setRecovering(isWanted);
      fields.setFailure(null);
    },
    back,
  };
}

export type SignIn = ReturnType<typeof useSignIn>;
