import type { JsonValue } from '@phaseline/basics';

/**
 * A fault injected into one request, for tests of model clients. The n-th fault of the list applies to the n-th completion
 * request of the server. `null` injects no fault, and neither does the end of the list.
 */
export type RehearsalFault =
  /** Responds with a status, and with a body and headers if given. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: JsonValue;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Stops after `afterChunks` chunks: `end` closes the response normally, `reset` breaks the connection. */
  | { readonly kind: 'cut'; readonly afterChunks: number; readonly how: 'end' | 'reset' }
  /** Sends an error object after `afterChunks` chunks, inside HTTP 200. */
  | { readonly kind: 'error'; readonly afterChunks: number; readonly error: JsonValue }
  /** Sends invalid JSON after `afterChunks` chunks. */
  | { readonly kind: 'malformed'; readonly afterChunks: number }
  /** Delays the answer and each chunk. */
  | { readonly kind: 'delay'; readonly beforeMs?: number; readonly perChunkMs?: number };
