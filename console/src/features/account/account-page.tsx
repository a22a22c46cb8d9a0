import { Alert, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Block, FailureNote, Icon, Loading } from '../../components/page/blocks.tsx';
import { LanguagePicker, ZonePicker } from '../../components/page/language-picker.tsx';
import { PageHeader } from '../../components/page/page-header.tsx';
import { PasswordDialog } from '../../frame/password-dialog.tsx';
import { useSession } from '../../lib/data/access.ts';
import { factorsQuery } from '../../lib/data/queries.ts';
import { problemText } from '../../lib/data/single-sign-on.ts';
import { t } from '../../lib/words/words.ts';
import classes from './account.module.css';
import { Agents } from './agents.tsx';
import { AlertsByMail } from './alerts-by-mail.tsx';
import { AlertsOnPhones } from './alerts-on-phones.tsx';
import { AuthenticatorApp } from './authenticator-app.tsx';
import { Identities } from './identities.tsx';
import { PasskeyBlock } from './passkeys.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { Sessions } from './sessions.tsx';

const route = getRouteApi('/signed-in/account');

/** How the signed-in administrator signs in, and where. */
export function AccountPage() {
  const { email, mustEnrol } = useSession();
  const { problem } = route.useSearch();
  const { data: factors, error } = useQuery(factorsQuery);
  const [isChanging, setChanging] = useState(false);
  /** Codes that have just been made; they are shown until they are stored. */
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <PageHeader title={t('Sign-in and security')}>
        {t('How you sign in as {email}, what you are told by mail, and where you are signed in.', { email })}
      </PageHeader>
      {mustEnrol && (
        <Alert color="yellow" mb="lg" icon={<Icon name="shield" />} title={t('Set up a second factor')}>
          {t(
            'Every administrator of this service needs one. Set up an authenticator app or add a passkey; then you can go on.',
          )}
        </Alert>
      )}
      <FailureNote message={problemText(problem)} />
      <Loading data={factors} error={error} height={320} />
      {factors && (
        <>
          <AuthenticatorApp since={factors.totp?.since} onCodes={setCodes} />
          <PasskeyBlock passkeys={factors.passkeys} onCodes={setCodes} />
          {factors.hasPassword && (factors.totp !== null || factors.passkeys.length > 0) && (
            <RecoveryCodes left={factors.recoveryCodesLeft} fresh={codes} onFresh={setCodes} />
          )}
          <Block title={t('Password')}>
            <div className={classes.line}>
              <Text>
                {factors.hasPassword
                  ? t('At least 10 characters; a short sentence is good.')
                  : t('You have none: you sign in with a passkey, or through your organisation.')}
              </Text>
              <Button onClick={() => setChanging(true)}>
                {factors.hasPassword ? t('Change the password') : t('Set a password')}
              </Button>
            </div>
          </Block>
          <Block
            title={t('Language')}
            about={t('Of this console, on this device. Mails to you come in the language in which you last opened it.')}
          >
            <LanguagePicker />
          </Block>
          <Block
            title={t('Time zone')}
            about={t(
              'Of pages that belong to no app, such as the audit and System, on this device. Pages of an app are in the zone of the app.',
            )}
          >
            <ZonePicker />
          </Block>
          <Identities />
          {!mustEnrol && <AlertsByMail />}
          {!mustEnrol && <AlertsOnPhones />}
          {!mustEnrol && <Agents />}
          <Sessions />
        </>
      )}
      <PasswordDialog isOpen={isChanging} onClose={() => setChanging(false)} />
    </>
  );
}
