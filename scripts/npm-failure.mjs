/** Explains npm's error codes to somebody who only wants to start Pharos. */

const unreachable = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ENOTCACHED',
  'ERR_SOCKET_TIMEOUT',
  'ESOCKETTIMEDOUT',
  'ETIMEDOUT',
]);

const untrusted = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const hints = {
  EACCES: 'This user may not write there: change the owner of the folder, or run the command as its owner.',
  EPERM: 'This user may not write there, or another program holds a file open.',
  EROFS: 'The folder is read-only.',
  ENOSPC: 'The disk is full; the installation takes about 600 MB.',
  EDQUOT: 'The disk quota is used up; the installation takes about 600 MB.',
  EINTEGRITY:
    'A package is not the one that the lock file names: it was damaged on the way, or a registry or proxy delivers another one. "npm cache clean --force" removes damaged copies.',
  EUSAGE: 'package.json and package-lock.json do not agree; "git status" shows which of them was changed.',
  E401: 'The npm registry wants a sign-in: "npm login", or another registry ("npm config set registry URL").',
  E403: 'The npm registry refuses the package; "npm config get registry" names it.',
  E404: 'The npm registry does not have the package; "npm config get registry" names it.',
  ETARGET: 'The npm registry does not have that version; "npm config get registry" names it.',
  E407: 'The proxy wants a sign-in: "npm config get https-proxy" names it.',
  NO_NPM: 'npm is not on the path. It comes with Node: https://nodejs.org',
};

/** `{ command, signal?, code? }` as a sentence for the terminal; npm's own message appears above it. */
export function explainNpmFailure({ command, signal, code }) {
  if (signal) return `${command} was interrupted (${signal}). Run the command again; it starts over.`;
  if (unreachable.has(code))
    return `${command} could not reach the npm registry (${code}). "npm config get registry" names it, "npm ping" tries it; behind a proxy, set npm's https-proxy. Then run the command again.`;
  if (untrusted.has(code))
    return `${command} does not trust the certificate of the npm registry (${code}). Name the certificate authority of your network with "npm config set cafile FILE".`;
  const hint = hints[code];
  if (hint) return `${command} failed (${code}). ${hint}`;
  return `${command} failed${code ? ` (${code})` : ''}. npm's own message is above.`;
}
