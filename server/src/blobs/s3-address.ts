/** Where files lie in an object store that speaks S3. */
export interface S3Address {
  /** `https://host:port`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** In front of every key: empty, or ends with a slash. */
  readonly prefix: string;
  /** Whether the bucket is a part of the path, not of the host name. */
  readonly hasBucketInPath: boolean;
  /** Undefined: taken from the environment, as the SDK of AWS does: variables, profiles, the role of the machine. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
}

const form =
  's3://KEYID:SECRET@host/bucket/prefix?region=eu-central-1; s3+http:// without TLS, and without KEYID:SECRET@ the credentials are those of the environment';
const known = new Set(['region', 'style']);

/**
 * Reads `s3://KEYID:SECRET@host:port/bucket/prefix?region=R&style=path`. `style=host` puts the bucket into the host name.
 *
 * @throws Error whose message completes "PHAROS_FILES_URL …" and holds no part of the address
 */
export function readS3Address(text: string): S3Address {
  const parts = /^s3(\+http)?:\/\/(.+)$/i.exec(text);
  if (/\/\.{1,2}(\/|\?|$)/.test(text)) throw new Error('must have no . and .. between its slashes');
  // An address with a scheme that is known for URLs is read as one, with its host in lower case and its port checked.
  const plain = parts && `${parts[1] ? 'http' : 'https'}://${parts[2]}`;
  const url = plain && URL.canParse(plain) ? new URL(plain) : undefined;
  if (url?.hash !== '') throw new Error(`must have the form ${form}`);
  const [bucket = '', ...folders] = url.pathname.slice(1).replace(/\/+$/, '').split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error('must name a bucket after the host: 3 to 63 lower-case letters, digits, dots and dashes');
  if (!folders.every((folder) => /^[\w.-]+$/.test(folder) && !/^\.+$/.test(folder)))
    throw new Error('must have a prefix of letters, digits, dots, dashes and underscores between slashes');
  const unknown = [...url.searchParams.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) throw new Error('must have no other parameters than region and style');
  return {
    endpoint: url.origin,
    region: url.searchParams.get('region') ?? regionOf(url.hostname),
    bucket,
    prefix: folders.map((folder) => `${folder}/`).join(''),
    hasBucketInPath: readStyle(url.searchParams.get('style'), url.hostname) === 'path',
    credentials: readCredentials(url),
  };
}

/** Only AWS looks at the region; others take any. */
function regionOf(host: string): string {
  return /^s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/.exec(host)?.[1] ?? 'us-east-1';
}

function readStyle(style: string | null, host: string): 'path' | 'host' {
  if (style === null) return host.endsWith('.amazonaws.com') ? 'host' : 'path';
  if (style === 'path' || style === 'host') return style;
  throw new Error('must have style=path or style=host');
}

function readCredentials({ username, password }: URL): S3Address['credentials'] {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '')
    throw new Error('must have both KEYID and SECRET in front of the @, or neither');
  try {
    return { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) };
  } catch {
    throw new Error('must have a % in its secret as %25, and a / as %2F');
  }
}
