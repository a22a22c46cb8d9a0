import type { App } from '../wire.ts';
import { t } from '../words/words.ts';

/** The parts of an app's policy in words. */
export const policyLabels: Readonly<Partial<Record<keyof App['policy'], string>>> = {
  tokenDays: t('Days until a user has to sign in again'),
  tokenMinutes: t('Minutes until an access token is renewed'),
  passwordMinLength: t('Minimum password length'),
  passwordResetUrl: t('Page for choosing a new password'),
  emailVerification: t('Confirming the e-mail address'),
  verificationUrl: t('Page for confirming an address'),
  signInLinkUrl: t('Signing in by mail'),
  pairingUrl: t('Pairing a phone to test on'),
  totp: t('Second factor'),
  passkeys: t('Passkeys'),
  selfErasure: t('Erasing the account takes a new sign-in'),
  rateLimit: t('Limit the number of requests'),
  quotas: t('Quotas'),
  retentionDays: t('How long records are kept'),
  sensitivity: t('Near a beacon'),
  oneZone: t('One zone at a time'),
  approval: t('Pushes to many need a second person'),
  pushTimeToLive: t('How long a message stays useful'),
  consent: t('Consent of visitors'),
  consentTexts: t('What visitors are asked'),
  smallGroups: t('Small groups in analytics'),
  pseudonyms: t('Pseudonyms of phones'),
  installationProof: t('New phones need a secret of their own'),
  polite: t('Polite'),
  delivery: t('How often messages are shown'),
};
