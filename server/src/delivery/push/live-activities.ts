import type { SendResult } from './send-result.ts';

export interface LiveActivity {
  readonly event: 'start' | 'update' | 'end';
  /** What is shown, in the form of the app's `ContentState`. */
  readonly contentState: object;
  /** Of one that is started: the name of the app's `ActivityAttributes`, and what does not change. */
  readonly attributes?: { readonly type: string; readonly values: object };
  /** Of one that is started: the channel by which it is updated; without it the app gets a token. */
  readonly followsChannel?: string;
  readonly alert?: { readonly title?: string; readonly body?: string; readonly sound?: string };
  /** Epoch milliseconds, as all times: iOS ignores what is older than what it has. */
  readonly now: number;
  /** From then on what is shown counts as old. */
  readonly staleAt?: number;
  /** When an ended one goes from the screen. */
  readonly dismissAt?: number;
  /** Which of several is shown where there is room for one. */
  readonly relevance?: number;
  /** Undefined: at once or never. */
  readonly expiresAt?: number;
  readonly urgency: 'high' | 'normal';
}

/** The token of one activity (of a device, for a start), or a channel that many follow. */
export type LiveTarget = { readonly token: string } | { readonly channelId: string };

export interface LiveActivities {
  send(activity: LiveActivity, target: LiveTarget, signal: AbortSignal): Promise<SendResult>;
  /** `storesLatest`: whoever is offline gets the latest update later. */
  createChannel(storesLatest: boolean, signal: AbortSignal): Promise<{ readonly channelId: string } | SendResult>;
  /** Whoever follows it hears nothing more. */
  deleteChannel(channelId: string, signal: AbortSignal): Promise<SendResult>;
}
