/** A message as the readers of bodies get it. */
export interface Message {
  readonly topic: string | undefined;
  /** The value of the JSON or MessagePack; undefined where it is neither. */
  readonly body: unknown;
  /** The payload as text; empty where it is none. */
  readonly text: string;
}
