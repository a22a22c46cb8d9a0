import { isAborted } from '../../base/flow/late-abort.ts';
import type { PushSender, SendResult } from './push-sender.ts';

/** Lets messages in progress end before a sender closes, and accepts none after that. */
export function tracked(sender: PushSender): PushSender {
  let underWay = 0;
  let ended: () => void = () => undefined;
  let isClosed = false;
  return {
    send(message, target, signal) {
      if (isClosed) {
        return Promise.resolve({ outcome: 'retry', reason: 'The service is stopping.', scope: 'message' });
      }
      underWay++;
      return sender.send(message, target, signal).finally(() => {
        if (--underWay === 0) ended();
      });
    },
    ...(sender.live ? { live: sender.live } : {}),
    test: (signal) => sender.test(signal),
    async close() {
      isClosed = true;
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          ended = resolve;
        });
      }
      await sender.close();
    },
  };
}

const interrupted: SendResult = { outcome: 'retry', reason: 'It was interrupted.', scope: 'message' };

/** For a sender whose work cannot be cancelled: the caller no longer waits for it. */
export function unlessAborted(signal: AbortSignal, work: () => Promise<SendResult>): Promise<SendResult> {
  if (isAborted(signal)) return Promise.resolve(interrupted);
  const { promise, resolve } = Promise.withResolvers<SendResult>();
  const stop = () => resolve(interrupted);
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work(), promise]).finally(() => signal.removeEventListener('abort', stop));
}
