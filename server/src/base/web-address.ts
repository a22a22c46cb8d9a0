/** True for an absolute http or https address of at most 2,000 characters. */
export function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 2000 || !/^https?:\/\//i.test(value)) return false;
  return URL.canParse(value);
}
