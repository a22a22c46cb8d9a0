/** React Native has no crypto.randomUUID; these ids are no secrets and only have to differ. */
export function randomId(): string {
  const part = () => Math.random().toString(36).slice(2, 12).padEnd(10, '0');
  return `${Date.now().toString(36)}-${part()}${part()}`;
}
