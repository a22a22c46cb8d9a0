/** The provider's process of `bench/senders.ts`: tells its parent its address and its recipients. */
import { startPushProvider } from '../../server/test/fakes/push-provider.ts';

export interface ProviderReady {
  readonly origin: string;
  readonly ca: string;
  readonly serviceAccount: Readonly<Record<string, string>>;
  readonly apnsKey: Readonly<Record<string, string>>;
  /** A thousand tokens each, or as many as the first argument says. */
  readonly fcm: readonly string[];
  readonly apns: readonly string[];
  readonly webpush: readonly string[];
}

const provider = await startPushProvider({ quiet: true });
const names = Array.from({ length: Number(process.argv[2] ?? 1000) }, (_, index) => `device${index}`);
const ready: ProviderReady = {
  origin: provider.origin,
  ca: provider.ca,
  serviceAccount: provider.fcm.serviceAccount,
  apnsKey: provider.apns.entered,
  fcm: names.map(provider.fcm.tokenFor),
  apns: names.map(provider.apns.tokenFor),
  webpush: names.map(provider.webpush.tokenFor),
};
process.send?.(ready);
// When the first message to a recipient came, on request.
process.on('message', (recipient: string) => {
  void provider
    .reached(recipient)
    .then(() => process.send?.({ recipient, at: performance.timeOrigin + performance.now() }));
  process.send?.('watching');
});
process.on('disconnect', () => process.exit());
