import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  deadLetterDetailSchema,
  deadLetterDiscardSchema,
  deadLetterPageSchema,
  deadLetterRetrySchema,
  type DeadLetterDetail,
  type DeadLetterDiscard,
  type DeadLetterPage,
  type DeadLetterRecord,
  type DeadLetterRetry,
  type DeadLettersQuery,
  type DiscardDeadLetterRequest,
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
      const page = await this.listPage({ ...query, cursor }, options);
      yield* page.items;
      if (page.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  /** Returns one page of dead letters, latest first. */
  listPage(query: Partial<DeadLettersQuery> = {}, options: Cancellable = {}): Promise<DeadLetterPage> {
    return this.transport.json(createGet(routes.deadLetters(), query, options), deadLetterPageSchema);
  }

  /** Returns a dead letter with its whole payload. Throws PhaselineClientError (`dead_letter_not_found`). */
  get(id: string, options: Cancellable = {}): Promise<DeadLetterDetail> {
    return this.transport.json(createGet(routes.deadLetter(id), {}, options), deadLetterDetailSchema);
  }

  /** Sends the message of a dead letter again. Throws InvalidRequest if the message would be rejected again. */
  retry(id: string, options: Cancellable = {}): Promise<DeadLetterRetry> {
    return this.transport.json(
      createWrite('POST', routes.deadLetterRetry(id), undefined, options),
      deadLetterRetrySchema,
    );
  }

  /** Discards a dead letter without sending its message again. Throws RequestRefused if it was already retried. */
  discard(id: string, request: DiscardDeadLetterRequest = {}, options: Cancellable = {}): Promise<DeadLetterDiscard> {
    return this.transport.json(
      createWrite('POST', routes.deadLetterDiscard(id), request, options),
      deadLetterDiscardSchema,
    );
  }
}
