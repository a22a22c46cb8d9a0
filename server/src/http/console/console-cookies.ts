import type { NewSession } from './console-endpoint.ts';

export interface SessionCookie {
  read(header: string | undefined): string | undefined;
  write(session: NewSession | undefined, now: number): string;
}

/** Binds the answer of an identity provider to the browser that asked for it. */
export interface AttemptCookie {
  read(header: string | undefined): string | undefined;
  /** Undefined deletes it. */
  write(secret: string | undefined): string;
}

const attemptSeconds = 600;

/** Under https the name's prefix makes the browser refuse a cookie that another host or an insecure page has set. */
function named(name: string, sameSite: 'Strict' | 'Lax', publicUrl: string | undefined) {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  const full = isSecure ? `__Host-${name}` : name;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  return {
    read(header: string | undefined): string | undefined {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${full}=`))?.slice(full.length + 1);
    },
    write: (value: string, seconds: number) => `${full}=${value}; ${attributes}; Max-Age=${seconds}`,
  };
}

export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const { read, write } = named('pharos', 'Strict', publicUrl);
  return {
    read,
    write: (session, now) => write(session?.token ?? '', session ? Math.floor((session.expiresAt - now) / 1000) : 0),
  };
}

/** Lax: the browser comes back from another site, and would not send a strict one. */
export function attemptCookie(publicUrl: string | undefined): AttemptCookie {
  const { read, write } = named('pharos-sso', 'Lax', publicUrl);
  return { read, write: (secret) => write(secret ?? '', secret === undefined ? 0 : attemptSeconds) };
}
