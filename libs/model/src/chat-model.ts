import type { ChatAnswer, ChatRequest } from '@phaseline/contracts';
import type { ModelError } from './model-error.js';

/**
 * A piece of an answer as it arrives, for live views only; the `ChatAnswer` at the end is authoritative. Pieces are cut by
 * the server and may end in the middle of a character.
 */
export interface ChatDelta {
  readonly content?: string;
  readonly reasoning?: string;
}

/** Notice before a failed attempt is retried. Deltas that `onDelta` received for that attempt are void. */
export interface RetryNotice {
  /** Number of the failed attempt, counted from 1. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly error: ModelError;
}

/** An attempt of a call that is about to begin. */
interface StartedAttempt {
  /** Number of the attempt, counted from 1. */
  readonly attempt: number;
  /** Host and port of the server. */
  readonly host: string;
}

/** What an answer says about itself. */
export interface AnswerOrigin {
  /** Id of the answer, as the server sent it. */
  readonly id?: string;
  /** Name of the model that answered, which may be more precise than the requested one. */
  readonly model?: string;
}

/** Observes one attempt, for telemetry. Must not throw. */
export interface AttemptObserver {
  /** More headers of the request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the HTTP status when the response begins. */
  onResponse?(status: number): void;
  /** Called when the answer is complete. */
  onAnswer?(origin: AnswerOrigin): void;
  /** Called once at the end, with the error if the attempt failed. */
  onEnd?(error: ModelError | undefined): void;
}

export interface CompleteOptions {
  /** Aborting rejects the call immediately with the code `aborted`, regardless of what it is waiting for. */
  readonly signal: AbortSignal;
  readonly onDelta?: (delta: ChatDelta) => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  /**
   * The previous failure of the same call, to continue its retries (see `canRetry`): the pause after it is observed, and
   * its attempts count.
   */
  readonly previousFailure?: ModelError | undefined;
  /** Tokens of the request that the caller reserved, used if the server sends no usage. If absent, they are counted here. */
  readonly inputTokens?: number;
  /** Called whenever the server sends bytes, including keep-alive comments: it is working on the answer. */
  readonly onBytes?: () => void;
  /** Called before each attempt. */
  readonly observeAttempt?: (started: StartedAttempt) => AttemptObserver;
}

/** A language model. Implementations may be called concurrently. */
export interface ChatModel {
  /**
   * Completes one conversation with one answer. An attempt is retried here only if it certainly cost nothing. An attempt
   * that may have been charged is thrown, so that the caller can reserve money for the next one.
   *
   * @throws {ModelError} if there is no answer. Errors of the callbacks are thrown unchanged.
   */
  complete(request: ChatRequest, options: CompleteOptions): Promise<ChatAnswer>;

  /** Checks, at no cost, whether the server responds. Absent if that cannot be checked. Never rejects. */
  probe?(signal: AbortSignal): Promise<boolean>;
}
