import type { JsonValue } from '@phaseline/domain';

/**
 * What goes wrong with one request, for tests of those who call a model. The n-th fault of the list meets the n-th
 * completion request of the server; `null` lets one through, and so does the end of the list.
 */
export type RehearsalFault =
  /** Answers with a status, and with a body and headers if given. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: JsonValue;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Stops after so many chunks: `end` closes the answer as if it were whole, `reset` breaks the connection. */
  | { readonly kind: 'cut'; readonly afterChunks: number; readonly how: 'end' | 'reset' }
  /** Sends an error object after so many chunks, inside HTTP 200. */
  | { readonly kind: 'error'; readonly afterChunks: number; readonly error: JsonValue }
  /** Sends what is not JSON after so many chunks. */
  | { readonly kind: 'malformed'; readonly afterChunks: number }
  /** Waits, before the answer and before each chunk. */
  | { readonly kind: 'delay'; readonly beforeMs?: number; readonly perChunkMs?: number };
