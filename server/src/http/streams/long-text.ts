import { Readable } from 'node:stream';

/** Code units that are encoded at once. */
const pieceLength = 262_144;

/** A text on its way to a client. Joined and encoded as a whole, it would be in memory three times. */
export class LongText {
  /** All of it as UTF-8. */
  readonly bytes: number;
  readonly stream: Readable;
  #left: number;

  /** `pieces` are joined without a separator. Each is released as it is read. */
  constructor(pieces: readonly string[]) {
    this.bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
    this.#left = this.bytes;
    this.stream = Readable.from(this.#chunks([...pieces].reverse()), { objectMode: false });
  }

  /** Bytes that are still held here. */
  get left(): number {
    return this.stream.destroyed ? 0 : this.#left;
  }

  *#chunks(backwards: string[]): Generator<Buffer> {
    while (backwards.length > 0) {
      let piece = '';
      while (backwards.length > 0 && piece.length < pieceLength) piece += backwards.pop();
      const chunk = Buffer.from(piece);
      this.#left -= chunk.length;
      yield chunk;
    }
  }
}
