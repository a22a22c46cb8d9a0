/**
 * Messages a second of each push sender, against a provider in a process of its own on this machine: HTTP/2 over TLS,
 * 100 concurrent requests a connection, every message checked as the provider would (Web Push: not decrypted).
 *
 *   npm run bench:senders [-- 50000]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { apnsDefinition } from '../server/src/delivery/apns/apns.ts';
import { fcmDefinition } from '../server/src/delivery/fcm/fcm.ts';
import type { PushContent, PushSender, PushTarget, SenderDefinition } from '../server/src/delivery/push/push-sender.ts';
import { webPushDefinition } from '../server/src/delivery/web-push/web-push.ts';
import { generateVapidKeys } from '../server/src/delivery/web-push/web-push-settings.ts';
import type { ProviderReady } from './senders/provider.ts';

const content: PushContent = {
  title: 'Welcome to the lighthouse',
  body: 'You are near the entrance. Tap for today’s tours and the way up.',
  link: 'https://example.org/pharos/tours',
  data: { beaconId: 'BeacQ1w2E3r4T5y6', zone: 'near', floor: 1 },
};
const atOnce = 1000;

interface Subject {
  readonly sender: PushSender;
  readonly targets: readonly PushTarget[];
}

/** Starts the provider's process; `stop` ends it. */
export async function startProvider(): Promise<{ ready: ProviderReady; stop: () => void }> {
  const child = fork(new URL('./senders/provider.ts', import.meta.url));
  const [ready] = (await once(child, 'message')) as [ProviderReady];
  return { ready, stop: () => child.kill() };
}

async function run({ sender, targets }: Subject, total: number): Promise<{ seconds: number; cpu: number }> {
  const signal = new AbortController().signal;
  let next = 0;
  const worker = async () => {
    while (next < total) {
      const n = next++;
      const target = targets[n % targets.length] as PushTarget;
      const message = { deliveryId: `Dlv${n}`, content, expiresAt: Date.now() + 120_000, urgency: 'high' as const };
      const result = await sender.send(message, target, signal);
      if (result.outcome !== 'sent') throw new Error(JSON.stringify(result));
    }
  };
  const began = performance.now();
  const used = process.cpuUsage();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const { user, system } = process.cpuUsage(used);
  const seconds = (performance.now() - began) / 1000;
  return { seconds, cpu: (user + system) / 1e6 / seconds };
}

function create<S>(definition: SenderDefinition<S>, entered: unknown, { origin, ca }: ProviderReady): PushSender {
  return definition.create(definition.read(entered), { now: Date.now, timeoutMs: 10_000, network: { origin, ca } });
}

async function measure(total: number): Promise<void> {
  const { ready, stop } = await startProvider();
  const vapid = { ...generateVapidKeys(), subject: 'mailto:ops@example.org' };
  const targets = (tokens: readonly string[], deviceType: PushTarget['deviceType']) =>
    tokens.map((token) => ({ token, deviceType }));
  const subjects: Record<string, Subject> = {
    FCM: { sender: create(fcmDefinition, ready.serviceAccount, ready), targets: targets(ready.fcm, 'android') },
    APNs: { sender: create(apnsDefinition, ready.apnsKey, ready), targets: targets(ready.apns, 'ios') },
    'Web Push': { sender: create(webPushDefinition, vapid, ready), targets: targets(ready.webpush, 'web') },
  };
  for (const [name, subject] of Object.entries(subjects)) {
    await run(subject, 5000);
    const { seconds, cpu } = await run(subject, total);
    const rate = Math.round(total / seconds);
    const perCore = Math.round(rate / cpu);
    process.stdout.write(
      `${name.padEnd(9)} ${String(rate).padStart(7)} messages/s on ${cpu.toFixed(2)} cores, ${perCore} a core\n`,
    );
    await subject.sender.close();
  }
  stop();
}

if (import.meta.main) await measure(Number(process.argv.at(-1)) || 50_000);
