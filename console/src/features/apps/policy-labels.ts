import type { Policy } from './rule-parts.tsx';

/** The parts of an app's policy in words. */
export const policyLabels: Readonly<Partial<Record<keyof Policy, string>>> = {
  tokenDays: 'Days until a user has to sign in again',
  tokenMinutes: 'Minutes until an access token is renewed',
  passwordMinLength: 'Minimum password length',
  passwordResetUrl: 'Page for choosing a new password',
  rateLimit: 'Limit the number of requests',
  quotas: 'Quotas',
  retentionDays: 'How long records are kept',
  sensitivity: 'Near a beacon',
  pushTimeToLive: 'How long a message stays useful',
  consent: 'Consent of visitors',
  installationProof: 'New phones need a secret of their own',
  polite: 'Polite',
  delivery: 'How often messages are shown',
};
