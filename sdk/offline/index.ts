export type {
  ConsentTexts,
  OfflineBundle,
  OfflineMessage,
  OfflineOptions,
  OfflinePlace,
  OfflineSender,
} from './options.ts';
export { OfflinePhone } from './phone.ts';
export type { OfflineStorage } from './waiting.ts';
