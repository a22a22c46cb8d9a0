import { type IncomingMessage, ServerResponse } from 'node:http';
import { noteAnswered } from './connections.ts';

/*
 * Relies on (`relied-on.test.ts`): Fastify hands the class of `http.ServerResponse` to Node, which makes its answers of it,
 * and ends each answer by one call of `end`; Node sends what is ended in a later phase of the event loop; `writableEnded` is
 * an accessor of a prototype, so that a subclass can answer for it.
 */

/** How long the first answer of a tick waits for the others, in milliseconds. */
const maxMs = 1;

let waiting: { readonly response: ServerResponse; readonly send: () => void }[] = [];
let since = 0;

function sendAll(): void {
  const all = waiting;
  waiting = [];
  for (const { response, send } of all) {
    try {
      const { socket } = response;
      send();
      noteAnswered(socket);
    } catch (error) {
      // An answer that Node refuses to send costs one connection, and no other client its answer.
      response.destroy(error as Error);
    }
  }
}

/**
 * An answer that is sent at the end of the event loop's tick, together with all others of that tick. Handing bytes to a
 * sleeping client costs several times as much as to one that is awake: it is woken, and if it shares the processors, it
 * runs first. So the clients of a tick are answered one right after the other instead of between two pieces of work.
 */
export class BatchedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #isEnding = false;

  static {
    // Callers see an answer that has ended, as if it had been sent at once.
    const inherited = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(ServerResponse.prototype), 'writableEnded');
    Object.defineProperty(BatchedResponse.prototype, 'writableEnded', {
      configurable: true,
      get(this: BatchedResponse) {
        return this.#isEnding || inherited?.get?.call(this);
      },
    });
  }

  override end(...values: unknown[]): this {
    // Fastify passes null as the callback, meaning none.
    const send = () => super.end(...(values as Parameters<ServerResponse['end']>));
    // A second `end` is left to Node, which reports it properly.
    if (this.#isEnding) {
      sendAll();
      return send();
    }
    this.#isEnding = true;
    const now = performance.now();
    if (waiting.length === 0) {
      since = now;
      setImmediate(sendAll);
    }
    waiting.push({ response: this, send });
    if (now - since > maxMs) sendAll();
    return this;
  }
}
