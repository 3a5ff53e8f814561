import { CodedError } from '@phaseline/basics';

interface Failure {
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;
  /** Pause that the server demands before the next request, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The beginning of the answer of the server. */
  readonly excerpt?: string | undefined;
  readonly cause?: unknown;
}

/** A server of embeddings did not answer as expected. The message contains neither the texts nor the key. */
export class EmbeddingsUnavailable extends CodedError {
  readonly code = 'embeddings_unavailable';
  readonly isTemporary: boolean;
  readonly retryAfterMs: number | undefined;
  /** Not a property that loggers write: servers repeat texts and parts of keys in their answers. */
  readonly #excerpt: string;

  constructor(message: string, { isTemporary, retryAfterMs, excerpt = '', cause }: Failure) {
    super(message, { cause });
    this.isTemporary = isTemporary;
    this.retryAfterMs = retryAfterMs;
    this.#excerpt = excerpt;
  }

  /** The beginning of what a server answered that refused a request; otherwise empty. It may repeat a part of the request. */
  get excerpt(): string {
    return this.#excerpt;
  }
}
