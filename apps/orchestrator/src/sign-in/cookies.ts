import type { FastifyRequest } from 'fastify';

export interface CookieOptions {
  /** Sent over https only. Browsers then also accept the prefix `__Host-`, which no other host can set. */
  readonly isSecure: boolean;
  /** `Lax` is also sent when another site sends the browser here; `Strict` is not. */
  readonly sameSite: 'Strict' | 'Lax';
  /** In seconds; 0 removes the cookie. Without it, the cookie lasts until the browser is closed. */
  readonly maxAge?: number;
}

/** Returns a value of `Set-Cookie` for a cookie that scripts cannot read. */
export function buildCookie(name: string, value: string, { isSecure, sameSite, maxAge }: CookieOptions): string {
  const age = maxAge === undefined ? '' : `; Max-Age=${maxAge}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  return `${nameCookie(name, isSecure)}=${value}; ${attributes}${age}`;
}

/** Returns the value of a cookie that `buildCookie` made; undefined if the request has none. */
export function readCookie({ headers }: FastifyRequest, name: string, isSecure: boolean): string | undefined {
  const prefix = `${nameCookie(name, isSecure)}=`;
  return headers.cookie
    ?.split(/; */)
    .find((one) => one.startsWith(prefix))
    ?.slice(prefix.length);
}

function nameCookie(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}
