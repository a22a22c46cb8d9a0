import { type Bus, type BusMessage, Gatherer, readMessage } from './bus.ts';
import type { Siblings } from './siblings.ts';

const topic = 'bus';

export class SiblingBus implements Bus {
  readonly isConnected = true;
  readonly #siblings: Siblings;
  readonly #gatherer: Gatherer;

  constructor(siblings: Siblings) {
    this.#siblings = siblings;
    this.#gatherer = new Gatherer((messages) => siblings.tell(topic, messages));
  }

  tell(message: BusMessage): void {
    this.#gatherer.add(message);
  }

  onMessage(listener: (message: BusMessage) => void): void {
    this.#siblings.onMessage(topic, (content) => {
      for (const value of content as unknown[]) {
        const message = readMessage(value);
        if (message) listener(message);
      }
    });
  }

  onConnected(listener: () => void): void {
    listener();
  }

  async close(): Promise<void> {
    this.#gatherer.clear();
  }
}
