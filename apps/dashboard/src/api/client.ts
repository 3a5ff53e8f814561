import { PhaselineClient } from '@phaseline/client';

/**
 * The client of the server that served this page. The browser adds the cookie of the session. It retries once: a person who looks at
 * an error can also ask again.
 */
export const client = new PhaselineClient({ baseUrl: location.origin, retries: 1, timeoutMs: 20_000 });
