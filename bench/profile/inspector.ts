/** The CPU profiler of a running Node, by its inspector (started with `--inspect=127.0.0.1:PORT`). */

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

/** As the inspector's protocol describes it: `timeDeltas[i]` microseconds lie before `samples[i]`, the id of a node. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Profiles the process while `work` runs. @throws Error when nothing listens at the port */
export async function profileWhile(port: number, work: () => Promise<void>): Promise<CpuProfile> {
  const list = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const address = list[0]?.webSocketDebuggerUrl;
  if (!address) throw new Error(`the inspector at port ${port} has no target`);
  const inspector = await connect(address);
  try {
    await inspector.ask('Profiler.enable');
    await inspector.ask('Profiler.setSamplingInterval', { interval: 500 });
    await inspector.ask('Profiler.start');
    await work();
    return ((await inspector.ask('Profiler.stop')) as { profile: CpuProfile }).profile;
  } finally {
    inspector.close();
  }
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

async function connect(address: string) {
  const socket = new WebSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)));
  });
  const waiting = new Map<number, (reply: Reply) => void>();
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let last = 0;
  return {
    ask(method: string, params: object = {}): Promise<unknown> {
      const id = ++last;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
      });
    },
    close: () => socket.close(),
  };
}
