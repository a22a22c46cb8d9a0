/** Numbers in frames. Whoever calls has checked the length. */

export const u8 = (bytes: Uint8Array, at: number): number => bytes[at] as number;
export const s8 = (bytes: Uint8Array, at: number): number => (u8(bytes, at) << 24) >> 24;
export const u16be = (bytes: Uint8Array, at: number): number => (u8(bytes, at) << 8) | u8(bytes, at + 1);
export const s16be = (bytes: Uint8Array, at: number): number => (u16be(bytes, at) << 16) >> 16;
export const u16le = (bytes: Uint8Array, at: number): number => u8(bytes, at) | (u8(bytes, at + 1) << 8);
export const s16le = (bytes: Uint8Array, at: number): number => (u16le(bytes, at) << 16) >> 16;
export const u32be = (bytes: Uint8Array, at: number): number => u16be(bytes, at) * 65_536 + u16be(bytes, at + 2);

/** Signed fixed point, 8 bits before and 8 behind the point, the most significant byte first. */
export const fixed88 = (bytes: Uint8Array, at: number): number => s16be(bytes, at) / 256;

/** Without the noise of binary fractions. */
export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** Per cent; more on mains power. */
export function batteryOf(data: Uint8Array, at: number): number | undefined {
  const battery = u8(data, at);
  return battery <= 100 ? battery : undefined;
}
