import type { Caller } from '@phaseline/identity';
import type { FastifyRequest } from 'fastify';

/** Sessions of people who signed in with a browser, for a service that has them. */
export interface BrowserSessions {
  /** Whether a browser needs a path before it has a session. Such a path reveals no tenant's data. */
  isPublic(path: string): boolean;
  /**
   * Returns the caller of a request with the cookie of a session; undefined without a valid one. `isUse` is false for a check that is no
   * request of the person, so that it does not keep an idle session alive.
   */
  authenticate(request: FastifyRequest, isUse?: boolean): Promise<Caller | undefined>;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Header by which a client shows that it is no web page of another site: such a page cannot send it. */
const CLIENT_HEADER = 'x-phaseline-client';

/**
 * Whether another site may have caused a request that changes something. Browsers send the cookie of a session with every request, so the
 * cookie alone does not show that the person wanted it.
 */
export function mayBeForged({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  if (SAFE_METHODS.has(method)) return false;
  return headers['sec-fetch-site'] !== 'same-origin' && headers[CLIENT_HEADER] === undefined;
}
