/**
 * The port to what carries a message to a device. Each provider is one implementation; all of them are held to the
 * same conformance suite (`server/test/conformance/push-sender.ts`).
 */

/** The providers. An app sets up as many of them as it needs. */
export const senderKinds = ['fcm', 'apns', 'webpush', 'mqtt'] as const;
export type SenderKind = (typeof senderKinds)[number];

/** What is shown, the same for every recipient of one platform. Senders may keep what they derive from the object. */
export interface PushContent {
  readonly title?: string;
  readonly body?: string;
  /** Address of a picture, the one for this platform. */
  readonly image?: string;
  readonly video?: string;
  /** What a tap opens: a web page or an address of the app. */
  readonly link?: string;
  /** The number on the icon; 0 removes it. */
  readonly badge?: number;
  readonly sound?: string;
  /** For the app, beside what is shown. Any JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** One message to one recipient. */
export interface PushMessage {
  /** Travels in the data, so that the app can report a receipt and show nothing twice. */
  readonly deliveryId: string;
  readonly content: PushContent;
  /** Epoch milliseconds after which nobody wants it any more; the provider is told, too. */
  readonly expiresAt: number;
  /** `high` wakes a sleeping device. */
  readonly urgency: 'high' | 'normal';
}

export interface PushTarget {
  /** The installation's `deviceToken`: FCM's and APNs' token, a Web Push subscription as JSON text, an MQTT topic. */
  readonly token: string;
  readonly deviceType: 'ios' | 'android' | 'web' | 'embedded';
  /** Bundle or package name, where the installation has told it. */
  readonly appIdentifier?: string;
}

/** Answers come as values: a sender throws only when it is broken itself. */
export type SendResult =
  /** The provider has taken it. */
  | { readonly outcome: 'sent'; readonly providerId?: string }
  /** It will never take this message to this recipient. */
  | { readonly outcome: 'failed'; readonly reason: string }
  /**
   * The token reaches nobody any more. `since` (epoch ms), where the provider tells it: a token that was registered
   * later than that is alive.
   */
  | { readonly outcome: 'dead'; readonly reason: string; readonly since?: number }
  /**
   * Not now. `scope` says whether this one message has to wait or everything that goes to the provider (429, 503, a
   * connection that cannot be made). After a time-out the outcome is unknown: the message goes again under the same ids.
   */
  | {
      readonly outcome: 'retry';
      readonly reason: string;
      readonly afterMs?: number;
      readonly scope: 'message' | 'provider';
    };

/** What the provider answered to a call that sends nothing to anybody; shown to the administrator as it is. */
export interface TestAnswer {
  readonly ok: boolean;
  /** One or two sentences: what was tried, and what the provider said, word for word. No secrets. */
  readonly text: string;
  /** The provider's HTTP status, where there was one. */
  readonly status?: number;
}

export interface PushSender {
  /**
   * Hands one message over. Ends on its own (every sender has a time-out) or when the signal aborts, then with `retry`.
   * Many calls run at once; the order is not kept.
   */
  send(message: PushMessage, target: PushTarget, signal: AbortSignal): Promise<SendResult>;
  /** Tries the credentials. Never throws for what the provider answers. */
  test(signal: AbortSignal): Promise<TestAnswer>;
  /** Closes connections; messages under way end first. */
  close(): Promise<void>;
}

export interface SenderDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How long one request may take (ms). */
  readonly timeoutMs: number;
  /** A provider that stands somewhere else: tests and benches run against one on this machine. */
  readonly network?: SenderNetwork;
}

export interface SenderNetwork {
  /** Takes the place of the provider's own origins. For Web Push: endpoints there are let through, public or not. */
  readonly origin: string;
  /** Certificates in PEM, trusted at that origin instead of the public ones. */
  readonly ca?: string;
}

/** One provider, as data: what an administrator enters, what may be shown again, and how a sender is made of it. */
export interface SenderDefinition<Settings = unknown> {
  readonly kind: SenderKind;
  /** For people: "Firebase Cloud Messaging". */
  readonly name: string;
  /** The most that a message may have, in bytes, as the provider counts. */
  readonly maxBytes: number;
  /**
   * Validates what was entered and completes it (a service account's JSON text, a key in PEM).
   *
   * @throws Failure ValidationError with `details` by field; a secret is never repeated in a message
   */
  read(entered: unknown): Settings;
  /** What may be shown again: names and ids, no secrets. `expiresAt` (ISO 8601) where credentials run out. */
  summarise(settings: Settings): Readonly<Record<string, string>>;
  create(settings: Settings, deps: SenderDeps): PushSender;
  /** Makes what an administrator need not bring (VAPID keys), as members of what `read` takes. */
  readonly generate?: () => Readonly<Record<string, string>>;
}

export const sent: SendResult = Object.freeze({ outcome: 'sent' });
