import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** Headers and body as they were sent. */
  readonly data: string;
}

export interface SmtpSink {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** The answer to a RCPT command; `250 ok` accepts. */
  recipientAnswer: string;
  /** Whether the connection is cut when a whole mail has arrived, without an answer. */
  cutsAfterData: boolean;
  close(): Promise<void>;
}

/** A mail server that accepts everything and keeps it in memory. */
export async function startSmtpSink(): Promise<SmtpSink> {
  const server = createServer((socket) => converse(socket, sink));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sink: SmtpSink = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails: [],
    recipientAnswer: '250 ok',
    cutsAfterData: false,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
  return sink;
}

function converse(socket: Socket, sink: SmtpSink): void {
  let [unread, from, to, data] = ['', '', '', undefined as string | undefined];
  const say = (line: string) => socket.write(`${line}\r\n`);
  const take = (line: string) => {
    if (data !== undefined) {
      if (line !== '.') {
        data += `${line}\n`;
        return;
      }
      sink.mails.push({ from, to, data });
      data = undefined;
      if (sink.cutsAfterData) return socket.destroy();
      return say('250 taken over');
    }
    const address = /<(.*)>/.exec(line)?.[1] ?? '';
    if (/^MAIL/i.test(line)) from = address;
    if (/^RCPT/i.test(line)) to = address;
    if (/^DATA/i.test(line)) data = '';
    if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n');
    say(/^DATA/i.test(line) ? '354 go on' : /^RCPT/i.test(line) ? sink.recipientAnswer : '250 ok');
  };
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    const lines = (unread + String(chunk)).split('\r\n');
    unread = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  say('220 sink');
}
