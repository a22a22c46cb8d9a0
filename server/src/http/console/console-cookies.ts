import type { Db } from '../../db/db.ts';
import { findOwnText } from '../../db/settings.ts';
import type { NewSession } from './console-endpoint.ts';

interface SessionCookie {
  read(header: string | undefined): string | undefined;
  /** The value of `Set-Cookie`. Undefined deletes it. */
  write(session: NewSession | undefined, now: number): string;
  /** The session of a browser that signed in before the cookie had its name, which versions until the next but one read. */
  readFormer(header: string | undefined): string | undefined;
  /** Gives the former cookie its name: the values of `Set-Cookie`. */
  rename(token: string): string[];
}

/** Binds the answer of an identity provider to the browser that asked for it. */
interface AttemptCookie {
  read(header: string | undefined): string | undefined;
  /** The value of `Set-Cookie`. Undefined deletes it. */
  write(secret: string | undefined): string;
}

export interface ConsoleCookies {
  readonly session: SessionCookie;
  readonly attempt: AttemptCookie;
}

const attemptSeconds = 600;
/** No session lasts longer. */
const maxSeconds = 7 * 86_400;
const settingName = 'cookie_name';
const former = 'pharos';

/**
 * Cookies ignore ports: a browser sends those of one service to every other one on the same host. So their names have a part that
 * is the database's own.
 */
export async function findConsoleCookies(db: Db, publicUrl: string | undefined): Promise<ConsoleCookies> {
  const own = `${former}-${await findOwnText(db, settingName, 8)}`;
  return { session: sessionCookie(own, publicUrl), attempt: attemptCookie(own, publicUrl) };
}

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

function sessionCookie(own: string, publicUrl: string | undefined): SessionCookie {
  const { read, write } = named(own, 'Strict', publicUrl);
  const old = named(former, 'Strict', publicUrl);
  return {
    read,
    write: (session, now) => write(session?.token ?? '', session ? Math.floor((session.expiresAt - now) / 1000) : 0),
    readFormer: old.read,
    rename: (token) => [write(token, maxSeconds), old.write('', 0)],
  };
}

/** Lax: the browser comes back from another site, and would not send a strict one. */
function attemptCookie(own: string, publicUrl: string | undefined): AttemptCookie {
  const { read, write } = named(`${own}-sso`, 'Lax', publicUrl);
  return { read, write: (secret) => write(secret ?? '', secret === undefined ? 0 : attemptSeconds) };
}
