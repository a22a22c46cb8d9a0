/** A text that both databases can store, without line breaks and other control characters. */
export function textOf(value: unknown, longest: number): string {
  if (typeof value !== 'string') return '';
  const clean = value
    .slice(0, 4 * longest)
    .replace(/\p{C}/gu, ' ')
    .trim();
  return [...clean.toWellFormed()].slice(0, longest).join('');
}

/** A claim by its name, which may be an address with dots, else by a path: `realm_access.roles`. */
export function valueAt(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name
    .split('.')
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Readonly<Record<string, unknown>>)[part]
          : undefined,
      claims,
    );
}
