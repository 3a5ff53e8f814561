import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  deadLetterDiscardSchema,
  deadLetterPageSchema,
  deadLetterRetrySchema,
  type DeadLetterDiscard,
  type DeadLetterRecord,
  type DeadLetterRetry,
  type DeadLettersQuery,
} from './dead-letter.js';

/** Messages that could not be handled. */
export class DeadLetterApi {
  constructor(private readonly transport: Transport) {}

  /** Yields all dead letters, latest first. */
  async *list(
    query: Partial<DeadLettersQuery> = {},
    options: Cancellable = {},
  ): AsyncGenerator<DeadLetterRecord, void, undefined> {
    for (let { cursor } = query; ;) {
      const page = await this.transport.json(
        createGet(routes.deadLetters(), { ...query, cursor }, options),
        deadLetterPageSchema,
      );
      yield* page.items;
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Sends the message of a dead letter again. Throws InvalidRequest if the message would be rejected again. */
  retry(id: string, options: Cancellable = {}): Promise<DeadLetterRetry> {
    return this.transport.json(
      createWrite('POST', routes.deadLetterRetry(id), undefined, options),
      deadLetterRetrySchema,
    );
  }

  /** Discards a dead letter without sending its message again. Throws RequestRefused if it was already retried. */
  discard(id: string, options: Cancellable = {}): Promise<DeadLetterDiscard> {
    return this.transport.json(
      createWrite('POST', routes.deadLetterDiscard(id), undefined, options),
      deadLetterDiscardSchema,
    );
  }
}
