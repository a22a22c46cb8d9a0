import { hash } from 'node:crypto';
import type { PushContent } from './push-sender.ts';

/**
 * Makes a message that was sent twice show once: APNs' collapse id, Web Push's Topic (RFC 8030 allows at most 32
 * base64url characters) and FCM's notification tag. 32 characters of base64url, 192 bits. Messages that replace each other have one.
 */
export function collapseId(deliveryId: string, { replaces }: Pick<PushContent, 'replaces'> = {}): string {
  const shared = replaces === undefined ? deliveryId : `replaces ${replaces}`;
  return hash('sha256', shared, 'base64url').slice(0, 32);
}

/** APNs requires a UUID; the same message always has the same one (RFC 9562, version 8). */
export function messageUuid(deliveryId: string): string {
  const bytes = hash('sha256', `apns-id${deliveryId}`, 'buffer').subarray(0, 16);
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x80, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
