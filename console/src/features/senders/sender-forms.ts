import type { JsonObject } from '@pharos/sdk';
import type { Sender } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

export type SenderKind = Sender['kind'];

/** One field of a provider's credentials, as data. The service validates the values. */
export interface SenderField {
  readonly name: string;
  readonly label: string;
  readonly about?: string;
  /** `file`: text from a file; `secret`: hidden while typing. */
  readonly kind: 'text' | 'secret' | 'file' | 'choice';
  readonly accept?: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly placeholder?: string;
}

interface SenderForm {
  readonly about: string;
  readonly fields: readonly SenderField[];
}

/** The fields of each provider, in its own terms. */
export const senderForms: Readonly<Record<SenderKind, SenderForm>> = {
  fcm: {
    about: t('For Android, and for browsers that use Firebase.'),
    fields: [
      {
        name: 'serviceAccount',
        label: t('Service account'),
        about: t(
          'In the Firebase console: Project settings, Service accounts, "Generate new private key". Drop the file here or paste all of it.',
        ),
        kind: 'file',
        accept: '.json,application/json',
      },
    ],
  },
  apns: {
    about: t('For iPhones and iPads.'),
    fields: [
      {
        name: 'key',
        label: t('Key'),
        about: t(
          'The .p8 file that Apple gives once, under Certificates, Identifiers & Profiles, Keys. Drop it here or paste it.',
        ),
        kind: 'file',
        accept: '.p8,application/pkcs8',
      },
      { name: 'keyId', label: t('Key id'), about: t('Ten capitals and digits, beside the key.'), kind: 'text' },
      { name: 'teamId', label: t('Team id'), about: t('Ten capitals and digits, under Membership.'), kind: 'text' },
      { name: 'bundleId', label: t('Bundle id'), kind: 'text', placeholder: 'com.example.museum' },
      {
        name: 'environment',
        label: t('Environment'),
        kind: 'choice',
        choices: [
          { value: 'production', label: t('Production: App Store and TestFlight') },
          { value: 'sandbox', label: t('Sandbox: builds from Xcode') },
        ],
      },
    ],
  },
  webpush: {
    about: t('For browsers, without any account.'),
    fields: [
      {
        name: 'publicKey',
        label: t('Public key'),
        about: t(
          'Leave both keys empty to create a new pair on saving. Or paste the pair that your web app already uses; with a different one, its visitors have to subscribe again.',
        ),
        kind: 'text',
      },
      { name: 'privateKey', label: t('Private key'), kind: 'secret' },
      {
        name: 'subject',
        label: t('Contact'),
        about: t('Where push services can reach you when something is wrong.'),
        kind: 'text',
        placeholder: 'mailto:you@example.org',
      },
    ],
  },
  mqtt: {
    about: t('For devices that listen to a broker of your own.'),
    fields: [
      { name: 'url', label: t('Address'), kind: 'text', placeholder: 'mqtts://broker.example.org:8883' },
      { name: 'username', label: t('User name'), kind: 'text' },
      { name: 'password', label: t('Password'), kind: 'secret' },
      { name: 'topicPrefix', label: t('Topic prefix'), about: t('In front of every topic.'), kind: 'text' },
    ],
  },
};

export const summaryLabels: Readonly<Record<string, string>> = {
  projectId: t('Project'),
  clientEmail: t('Service account'),
  privateKeyId: t('Key id'),
  keyId: t('Key id'),
  teamId: t('Team id'),
  bundleId: t('Bundle id'),
  environment: t('Environment'),
  publicKey: t('Public key'),
  subject: t('Contact'),
  url: t('Address'),
  username: t('User name'),
  topicPrefix: t('Topic prefix'),
};

export type SenderValues = Readonly<Record<string, string>>;

export function initialSettings(kind: SenderKind, summary: SenderValues): SenderValues {
  return Object.fromEntries(
    senderForms[kind].fields.map(({ name, choices }) => [name, summary[name] ?? choices?.[0]?.value ?? '']),
  );
}

/**
 * Empty fields are left out, so that the service names the required ones. Without keys for Web Push, the service creates
 * a pair.
 */
export function settingsOf(kind: SenderKind, values: SenderValues): JsonObject {
  const given = Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''));
  const isWithoutKeys = kind === 'webpush' && !given['publicKey'] && !given['privateKey'];
  return isWithoutKeys ? { ...given, generate: true } : given;
}
