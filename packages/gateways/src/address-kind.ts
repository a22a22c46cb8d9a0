import type { AddressKind } from './types.ts';

/** The two most significant bits of a random address say of which kind it is (Core Specification, Vol 6, Part B, 1.3.2). */
const randomKinds: readonly (AddressKind | undefined)[] = ['nonResolvable', 'resolvable', undefined, 'randomStatic'];

/**
 * @param address 12 hexadecimal digits
 * @param type of HCI and of most gateways: 0 and 2 for public addresses, 1 and 3 for random ones; anything else says nothing
 */
export function addressKindOf(address: string, type: unknown): AddressKind | undefined {
  if (type === 0 || type === 2) return 'public';
  if (type === 1 || type === 3) return randomKinds[Number.parseInt(address.slice(0, 2), 16) >> 6];
  return undefined;
}
