import type { LiveActivities } from './live-activities.ts';
import type { SendResult } from './send-result.ts';

export type { SendResult };

/**
 * The port for sending a message to a device. Each provider is one implementation; all of them have to pass the same
 * conformance suite (`server/test/conformance/push-sender.ts`).
 */

/** The providers. An app sets up as many of them as it needs. */
export const pushSenderKinds = ['fcm', 'apns', 'webpush', 'mqtt'] as const;
export type PushSenderKind = (typeof pushSenderKinds)[number];

interface PushButton {
  readonly id: string;
  readonly title: string;
  readonly uri?: string;
}

/** What is shown, the same for every recipient of one platform. Senders may cache what they derive from the object. */
export interface PushContent {
  readonly title?: string;
  readonly body?: string;
  /** Address of the picture for this platform. */
  readonly image?: string;
  readonly video?: string;
  /** What a tap opens: a web page or an address of the app. */
  readonly link?: string;
  /** The number on the icon; 0 removes it. */
  readonly badge?: number;
  readonly sound?: string;
  readonly category?: string;
  readonly buttons?: readonly PushButton[];
  /** What it is called, if a later message is to take its place. */
  readonly replaces?: string;
  readonly thread?: string;
  readonly level?: 'passive' | 'active' | 'timeSensitive' | 'critical';
  /** For the app, in addition to what is shown. Any JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface PushMessage {
  /** Travels in the data, so that the app can report a receipt and show nothing twice. */
  readonly deliveryId: string;
  readonly content: PushContent;
  /** Epoch milliseconds after which the message is useless; the provider gets it too. */
  readonly expiresAt: number;
  /** `high` wakes a sleeping device. */
  readonly urgency: 'high' | 'normal';
}

export interface PushTarget {
  /** The installation's `deviceToken`: FCM's or APNs' token, a Web Push subscription as JSON text, or an MQTT topic. */
  readonly token: string;
  readonly deviceType: 'ios' | 'android' | 'web' | 'embedded';
  /** Bundle or package name, if the installation has reported it. */
  readonly appIdentifier?: string;
}

/** The provider's answer to a call that sends nothing to anybody; shown to the administrator as it is. */
export interface TestAnswer {
  readonly ok: boolean;
  /** One or two sentences: what was tried, and what the provider said, word for word. No secrets. */
  readonly text: string;
  /** The provider's HTTP status, where there was one. */
  readonly status?: number;
}

export interface PushSender {
  /**
   * Sends one message. Ends by itself (every sender has a time-out) or, with `retry`, when the signal aborts. Many
   * calls run at once; the order is not kept.
   */
  send(message: PushMessage, target: PushTarget, signal: AbortSignal): Promise<SendResult>;
  /** Of Apple's devices. */
  readonly live?: LiveActivities;
  /** Tries the credentials. Never throws, whatever the provider answers. */
  test(signal: AbortSignal): Promise<TestAnswer>;
  /** Closes connections; messages in progress end first. */
  close(): Promise<void>;
}

/** Who judges what is signed, for people, and whether anybody can be it, as the push service of a subscription. */
export interface Issuer {
  readonly name: string;
  readonly isAnybody?: true;
}

/** Hears how far (ms) the service's time is ahead of an issuer's that refused it. */
export type NoteClock = (issuer: Issuer, ahead: number) => void;

export interface SenderDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long one request may take (ms). */
  readonly timeoutMs: number;
  /** A provider at another address: tests and benches use one on this machine. */
  readonly network?: SenderNetwork;
  readonly noteClock?: NoteClock;
}

interface SenderNetwork {
  /** Replaces the provider's own origins. For Web Push: endpoints there are accepted, public or not. */
  readonly origin: string;
  /** Certificates in PEM to trust at that origin instead of the public ones. */
  readonly ca?: string;
}

/** One provider, as data: what an administrator enters, what may be shown again, and how to make a sender from it. */
export interface SenderDefinition<Settings = unknown> {
  readonly kind: PushSenderKind;
  /** For people: "Firebase Cloud Messaging". */
  readonly name: string;
  /** The maximum size of a message in bytes, as the provider counts. */
  readonly maxBytes: number;
  /**
   * Validates and completes what was entered (a service account's JSON text, a key in PEM).
   *
   * @throws Failure ValidationError with `details` by field; a secret is never repeated in a message
   */
  read(entered: unknown): Settings;
  /** What may be shown again: names and ids, no secrets. `expiresAt` (ISO 8601) if credentials expire. */
  summarise(settings: Settings): Readonly<Record<string, string>>;
  create(settings: Settings, deps: SenderDeps): PushSender;
  /** Generates what an administrator need not supply (VAPID keys), as members of the input of `read`. */
  readonly generate?: () => Readonly<Record<string, string>>;
}

export const sent: SendResult = Object.freeze({ outcome: 'sent' });
