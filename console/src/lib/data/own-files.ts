/**
 * The path under which this page can load a file of the app, or undefined for an address elsewhere: the console loads
 * nothing from other servers. The service's public address may be another one than the console's.
 */
export function ownFilePath(address: string, appId: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { pathname } = new URL(address);
  const at = pathname.indexOf(`/files/${appId}/`);
  return at < 0 ? undefined : pathname.slice(at);
}

/** Without the random digits that the service puts in front. */
export const givenName = (storedName: string): string => storedName.replace(/^[0-9a-f]{32}_/, '');
