import type { JsonObject } from '@pharos/sdk';
import type { Sender } from '../../lib/wire.ts';

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
    about: 'For Android, and for browsers that use Firebase.',
    fields: [
      {
        name: 'serviceAccount',
        label: 'Service account',
        about:
          'In the Firebase console: Project settings, Service accounts, "Generate new private key". Drop the file here or paste all of it.',
        kind: 'file',
        accept: '.json,application/json',
      },
    ],
  },
  apns: {
    about: 'For iPhones and iPads.',
    fields: [
      {
        name: 'key',
        label: 'Key',
        about:
          'The .p8 file that Apple gives once, under Certificates, Identifiers & Profiles, Keys. Drop it here or paste it.',
        kind: 'file',
        accept: '.p8,application/pkcs8',
      },
      { name: 'keyId', label: 'Key id', about: 'Ten capitals and digits, beside the key.', kind: 'text' },
      { name: 'teamId', label: 'Team id', about: 'Ten capitals and digits, under Membership.', kind: 'text' },
      { name: 'bundleId', label: 'Bundle id', kind: 'text', placeholder: 'com.example.museum' },
      {
        name: 'environment',
        label: 'Environment',
        kind: 'choice',
        choices: [
          { value: 'production', label: 'Production: App Store and TestFlight' },
          { value: 'sandbox', label: 'Sandbox: builds from Xcode' },
        ],
      },
    ],
  },
  webpush: {
    about: 'For browsers, without any account.',
    fields: [
      {
        name: 'publicKey',
        label: 'Public key',
        about:
          'Leave both keys empty to create a new pair on saving. Or paste the pair that your web app already uses; with a different one, its visitors have to subscribe again.',
        kind: 'text',
      },
      { name: 'privateKey', label: 'Private key', kind: 'secret' },
      {
        name: 'subject',
        label: 'Contact',
        about: 'Where push services can reach you when something is wrong.',
        kind: 'text',
        placeholder: 'mailto:you@example.org',
      },
    ],
  },
  mqtt: {
    about: 'For devices that listen to a broker of your own.',
    fields: [
      { name: 'url', label: 'Address', kind: 'text', placeholder: 'mqtts://broker.example.org:8883' },
      { name: 'username', label: 'User name', kind: 'text' },
      { name: 'password', label: 'Password', kind: 'secret' },
      { name: 'topicPrefix', label: 'Topic prefix', about: 'In front of every topic.', kind: 'text' },
    ],
  },
};

export const summaryLabels: Readonly<Record<string, string>> = {
  projectId: 'Project',
  clientEmail: 'Service account',
  privateKeyId: 'Key id',
  keyId: 'Key id',
  teamId: 'Team id',
  bundleId: 'Bundle id',
  environment: 'Environment',
  publicKey: 'Public key',
  subject: 'Contact',
  url: 'Address',
  username: 'User name',
  topicPrefix: 'Topic prefix',
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
