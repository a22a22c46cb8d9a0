import { type IncomingMessage, request } from 'node:http';

/** Members of a record are what a test is about to find out. */
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyRecord = any;

export interface ListEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: AnyRecord;
}

export interface ListStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: ListEvent[];
  /** The records in the order of the list, as the events have left them. */
  readonly records: readonly AnyRecord[];
  /** Of the last whole state. */
  readonly cursor: string | undefined;
  /** Resolves once it is so, and rejects if the stream ends before. */
  until(isSo: (stream: ListStream) => boolean): Promise<void>;
  readonly ended: Promise<void>;
  /** The text of an answer that is no stream. */
  readonly refusal: () => AnyRecord;
  close(): void;
}

/** Follows a list as the interface says; `known` are the records that the cursor in the headers stands for. */
export async function followList(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  known: readonly AnyRecord[] = [],
): Promise<ListStream> {
  const sent = request({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.once('response', resolve).once('error', reject),
  );
  const waiting = new Set<() => void>();
  let text = '';
  let step: ListEvent[] = [];
  const stream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events: [] as ListEvent[],
    records: [...known] as AnyRecord[],
    cursor: undefined as string | undefined,
    ended: new Promise<void>((resolve) => response.once('close', () => resolve())),
    refusal: () => JSON.parse(text),
    until: (isSo: (stream: ListStream) => boolean) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          if (!isSo(stream)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void stream.ended.then(() => reject(new Error(`the stream ended with ${JSON.stringify(stream.events)}`)));
      }),
    close: () => void sent.destroy(),
  };
  response.setEncoding('utf8');
  response.on('error', () => undefined);
  response.on('data', (chunk: string) => {
    text += chunk;
    if (stream.status !== 200) return;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const event of blocks.flatMap((block) => parse(block) ?? [])) {
      stream.events.push(event);
      step.push(event);
      if (event.id === undefined) continue;
      stream.records = step.reduce(applied, stream.records);
      stream.cursor = event.id;
      step = [];
    }
    for (const look of [...waiting]) look();
  });
  return stream;
}

function applied(records: readonly AnyRecord[], { event, data }: ListEvent): AnyRecord[] {
  if (event === 'list') return data.results;
  if (event === 'ready') return [...records];
  const others = records.filter(({ objectId }) => objectId !== (data.objectId ?? data.result.objectId));
  if (event === 'left') return others;
  const place = data.after === null ? 0 : others.findIndex(({ objectId }) => objectId === data.after) + 1;
  return others.toSpliced(place, 0, data.result);
}

function parse(block: string): ListEvent | undefined {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const { event, id, data } = fields;
  return event === undefined ? undefined : { event, id, data: JSON.parse(data ?? '{}') };
}
