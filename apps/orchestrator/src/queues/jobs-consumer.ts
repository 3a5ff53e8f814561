import { CodedError } from '@phaseline/basics';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { createRequestActor, type ParsedSubmitRequest } from '@phaseline/contracts';
import { UnknownDefinition, UnusableAgent } from '@phaseline/definitions';
import { DocumentRefused, IdempotencyKeyReused, InputsMissing } from '@phaseline/orchestration';
import { Queues, type DeliveryContext } from '@phaseline/queue';
import { toJobRequest } from '../jobs/read-submission.js';
import { Submissions } from '../jobs/submissions.js';
import { ApiProblem } from '../problem/api-problem.js';

/** Actor of jobs from the queue, in the log and in their idempotency keys. A queue does not tell who sent a message. */
const QUEUE_ACTOR = 'queue';

/**
 * Owner of the idempotency keys that are created here for messages without one, so that no producer can use such a key
 * first.
 */
const MESSAGE_ACTOR = 'queue/message';

/** Thrown for a message on the `jobs` queue that can never be fulfilled, however often it is delivered. */
class SubmissionRefused extends CodedError {
  readonly retryable = false;

  constructor(
    readonly code: string,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

/** Takes jobs from the `jobs` queue, where any BullMQ producer may put them. */
@Injectable()
export class JobsConsumer implements OnApplicationBootstrap {
  constructor(
    private readonly queues: Queues,
    private readonly submissions: Submissions,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queues.work('jobs', (request, delivery) => submitFromQueue(this.submissions, request, delivery));
  }
}

/**
 * Submits a job from a queue message. Throws SubmissionRefused to make the message a dead letter; any other error is
 * retried.
 */
async function submitFromQueue(
  submissions: Submissions,
  request: ParsedSubmitRequest,
  delivery: Pick<DeliveryContext, 'messageId' | 'enqueuedAt'>,
): Promise<void> {
  // A flushed Redis assigns ids from 1 again; the time of sending keeps them distinct.
  const keyed =
    request.idempotencyKey === undefined
      ? { idempotencyKey: `${delivery.messageId}/${delivery.enqueuedAt}`, actorId: MESSAGE_ACTOR }
      : { idempotencyKey: request.idempotencyKey, actorId: QUEUE_ACTOR };
  if (request.encrypt === true)
    throw new SubmissionRefused(
      'encryption_unavailable',
      new Error(
        'an encrypted job is not accepted from a queue, which stores it unencrypted: submit it with POST /v1/jobs',
      ),
    );
  try {
    await submissions.submit({ ...toJobRequest(request), ...keyed }, { actor: createRequestActor(QUEUE_ACTOR) });
  } catch (error) {
    if (
      error instanceof UnknownDefinition ||
      error instanceof UnusableAgent ||
      error instanceof DocumentRefused ||
      error instanceof InputsMissing ||
      error instanceof IdempotencyKeyReused ||
      error instanceof ApiProblem
    ) {
      throw new SubmissionRefused(error.code, error);
    }
    throw error;
  }
}
