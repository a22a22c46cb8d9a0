import { type IncomingMessage, request } from 'node:http';

export interface StreamEvent {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event's shape is what a test is about to find out
  readonly data: any;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All but `ready`. */
  readonly events: StreamEvent[];
  /** The number in `ready`. */
  readonly ready: Promise<number>;
  /** Resolves once this many events have come. */
  received(count: number): Promise<void>;
  /** Resolves when the service has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Listens as a browser would; `path` is from the root. */
export async function openStream(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<EventStream> {
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  const events: StreamEvent[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const ready = Promise.withResolvers<number>();
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parse(block);
      if (event?.event === 'ready') ready.resolve(event.id);
      else if (event) events.push(event);
    }
    for (const { count, resolve } of waiting) if (events.length >= count) resolve();
  });
  response.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    ready: ready.promise,
    received: (count) =>
      new Promise((resolve) => {
        if (events.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    ended,
    close: () => void sent.destroy(),
  };
}

function parse(block: string): StreamEvent | undefined {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const { event, id, data } = fields;
  return event === undefined ? undefined : { event, id: Number(id), data: JSON.parse(data ?? '{}') };
}
