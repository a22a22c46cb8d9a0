import type { PushSender } from './push-sender.ts';

/** Lets the messages under way end before a sender closes, and takes none after that. */
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
