import type { JsonObject } from '@pharos/sdk';
import type { Sender } from '../../lib/wire.ts';

export type SenderKind = Sender['kind'];

/** One field of a provider's credentials, as data. The service judges what is entered. */
export interface SenderField {
  readonly name: string;
  readonly label: string;
  readonly about?: string;
  /** `file`: a text that comes as a file; `secret`: not shown while it is typed. */
  readonly kind: 'text' | 'secret' | 'file' | 'choice';
  readonly accept?: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly placeholder?: string;
}

interface SenderForm {
  readonly about: string;
  readonly fields: readonly SenderField[];
}

/** What each provider asks for, in its own words. */
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
      { name: 'publicKey', label: 'Public key', about: 'Your web app needs it to subscribe.', kind: 'text' },
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

export type Values = Readonly<Record<string, string>>;

export function startOf(kind: SenderKind, summary: Values): Values {
  return Object.fromEntries(
    senderForms[kind].fields.map(({ name, choices }) => [name, summary[name] ?? choices?.[0]?.value ?? '']),
  );
}

/** Empty fields are left out, so that the service says which of them it needs. */
export function settingsOf(values: Values): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''));
}

/**
 * A fresh VAPID key pair, made in the browser: P-256, base64url, the public key as the uncompressed point (RFC 8292).
 * The private key leaves it only when it is saved. Browsers give `crypto.subtle` to https and localhost alone.
 */
export async function generateVapidKeys(): Promise<{ readonly publicKey: string; readonly privateKey: string }> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
  ]);
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', publicKey));
  const { d = '' } = await crypto.subtle.exportKey('jwk', privateKey);
  return { publicKey: base64url(point), privateKey: d };
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
