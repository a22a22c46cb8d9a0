/** Readers of what Bluetooth gateways send. Pure: a message in, one shape out, whoever has made the gateway. */
export { maxHeard } from './bodies/collector.ts';
export { type Contents, readAdvertisingData, readManufacturerData, readServiceData } from './frames/advertisement.ts';
export type { Frame } from './frames/frame.ts';
export { type GatewayMessage, maxBytes, readGatewayMessage } from './read.ts';
export type * from './types.ts';
export { formats } from './types.ts';
