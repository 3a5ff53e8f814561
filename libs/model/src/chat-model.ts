import type { ChatAnswer, ChatRequest } from '@phaseline/domain';
import type { ModelError } from './model-error.js';

/**
 * A piece of an answer as it arrives, for live views only: what counts is the `ChatAnswer` at the end. Pieces are the
 * server's; one may end in the middle of a character.
 */
export interface ChatDelta {
  readonly content?: string;
  readonly reasoning?: string;
}

/** Told before a failed attempt is made again; what `onDelta` has shown of that attempt is void. */
export interface RetryNotice {
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: ModelError;
}

export interface CompleteOptions {
  /** Aborting rejects at once with the code `aborted`, whatever the call is waiting for. */
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: ChatDelta) => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  /**
   * The failed attempt of the same call that this one follows (see `mayTryAgain`): the pause behind it is kept, and its
   * attempts count.
   */
  readonly after?: ModelError | undefined;
  /** Tokens of the request as the caller reserved them; taken where the server sends no usage. Counted here when absent. */
  readonly inputTokens?: number;
  /** The server sent something, be it a keep-alive comment: it works on the answer. */
  readonly onBytes?: () => void;
}

/** A language model that can be talked to. Implementations may be called concurrently. */
export interface ChatModel {
  /**
   * One answer to one conversation. Attempts are repeated inside only as long as they surely cost nothing: one that may
   * have been charged is an outcome of its own, so that the caller can reserve money for the next.
   *
   * @throws {ModelError} when no answer could be had; what the callbacks throw comes as it is.
   */
  complete(request: ChatRequest, options: CompleteOptions): Promise<ChatAnswer>;

  /** Whether the server answers at all, asked in a way that costs nothing; without it nobody can tell. Never rejects. */
  probe?(signal: AbortSignal): Promise<boolean>;
}
