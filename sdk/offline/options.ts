import type { OfflineStorage } from './waiting.ts';

/** What is shown to the visitor, as `POST /sightings` answers it. */
export interface OfflineMessage {
  /** Show what has been shown already only once. */
  readonly deliveryId: string;
  readonly kind: 'notification' | 'scenario';
  readonly triggerId: string;
  readonly event: string;
  readonly beaconId: string;
  readonly language?: string;
  /** What the editors have written, in the visitor's language. */
  readonly content: Readonly<Record<string, unknown>>;
  /** It was decided here, because the service could not be asked. */
  readonly isOffline: boolean;
}

export interface OfflineBundle {
  readonly tag: string;
  /** Lists that the app's rules keep from the phone. */
  readonly withheld: readonly string[];
  readonly parts: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>;
}

/** What the visitor is asked, in the visitor's language; a purpose that the app does not ask about has none. */
export interface ConsentTexts {
  /** Sent as `textVersion` with the answer. */
  readonly version: string;
  readonly messages?: string;
  readonly analytics?: string;
  readonly identity?: string;
}

export interface OfflinePlace {
  /** objectIds of venues; without it, `near` and `at`, the whole app. */
  readonly venues?: readonly string[];
  /** objectIds of beacons that the phone hears. */
  readonly near?: readonly string[];
  /** Where the phone is, degrees (WGS 84): the venues around it. */
  readonly at?: { readonly latitude: number; readonly longitude: number };
}

export type OfflineSender = 'phone' | 'androidBackground' | 'iosBackground';

export interface OfflineOptions {
  /** As it was registered, and the `objectId` that this answered. */
  readonly installation: {
    readonly objectId: string;
    readonly installationId: string;
    readonly localeIdentifier?: string;
  };
  /** A storage for each of some forty names, which begin with the id of the app, such as `(name) => ({ load: () => localStorage.getItem(name), … })`. */
  readonly storage: OfflineStorage;
  readonly onMessage: (message: OfflineMessage) => void;
  /** Visits that begin and end, and changes of distance, as the phone decides them. */
  readonly onEvent?: (event: { readonly event: string; readonly beaconId: string; readonly at: number }) => void;
  /** What the visitor has agreed to; without it as the app assumes. */
  readonly consents?: () => { readonly messages: boolean; readonly analytics: boolean };
  /** What senses: without it, the app in the foreground. */
  readonly sender?: () => OfflineSender;
  /** Milliseconds that the service may take before the phone decides by itself; 3,000 by default. */
  readonly patience?: number;
  readonly onError?: (error: unknown) => void;
  /** For tests: epoch milliseconds. */
  readonly now?: () => number;
  /** For tests. */
  readonly newId?: () => string;
}
