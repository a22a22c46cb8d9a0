/**
 * The path at which this page can load a file of the app; undefined for other addresses, because the console loads nothing
 * from other servers. The public address of the service may differ from that of the console.
 */
export function ownFilePath(address: string, appId: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { pathname } = new URL(address);
  const at = pathname.indexOf(`/files/${appId}/`);
  return at < 0 ? undefined : pathname.slice(at);
}

/** The name without the random prefix of the service. */
export const givenName = (storedName: string): string => storedName.replace(/^[0-9a-f]{32}_/, '');
