/**
 * What a tag advertises, in one form to look it up by: `uuid:major:minor` for an iBeacon in any of the usual spellings
 * (`iBeacon:<uuid>-1-2`, `<uuid>:1:2`), 12 hexadecimal digits for a MAC address, else the text in lower case.
 */
export function tagKey(advertised: string): string {
  const text = advertised.trim().toLowerCase();
  const beacon = /^(?:ibeacon:)?([0-9a-f-]{32,36})[-:_](\d{1,5})[-:_](\d{1,5})$/.exec(text);
  if (beacon) return `${beacon[1]?.replaceAll('-', '')}:${Number(beacon[2])}:${Number(beacon[3])}`;
  const plain = text.replace(/[:-]/g, '');
  return /^[0-9a-f]{12}$/.test(plain) ? plain : text;
}

/** The name of a receiver: an address in any of the usual spellings is 12 hexadecimal digits in lower case, any other name itself. */
export function receiverName(name: string): string {
  const plain = name.replace(/[:-]/g, '').toLowerCase();
  return /^[0-9a-f]{12}$/.test(plain) ? plain : name;
}

/** The key of `metadata.advertisedId`; longer ones than an index entry holds are none. */
export function advertisedKey(metadata: unknown): string | null {
  const id = (metadata as Readonly<Record<string, unknown>> | null | undefined)?.['advertisedId'];
  return typeof id === 'string' && id.trim() !== '' && id.length <= 200 ? tagKey(id) : null;
}
