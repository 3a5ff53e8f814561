import { CodedError } from '@phaseline/basics';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { identifyKeyOwner, type ParsedSubmitRequest } from '@phaseline/contracts';
import { IdempotencyKeyReused } from '@phaseline/orchestration';
import { toActor } from '@phaseline/identity';
import { Queues, type DeliveryContext } from '@phaseline/queue';
import { chooseTenant } from '../access/choose-tenant.js';
import { isSubmissionRefusal } from '../jobs/is-submission-refusal.js';
import { toJobRequest } from '../jobs/read-submission.js';
import { Submissions } from '../jobs/submissions.js';
import { ApiProblem } from '../problem/api-problem.js';
import { QueueCallers } from './queue-callers.js';
import { queueRequirements } from './queue-requirements.js';

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
    readonly submissions: Submissions,
    readonly callers: QueueCallers,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.queues.work('jobs', (request, delivery) => submitFromQueue(this, request, delivery));
  }
}

/**
 * Submits a job from a queue message, for the principal of its producer. Throws SubmissionRefused to make the message a dead letter; any
 * other error is retried.
 */
async function submitFromQueue(
  { submissions, callers }: { readonly submissions: Submissions; readonly callers: QueueCallers },
  request: ParsedSubmitRequest,
  delivery: Pick<DeliveryContext, 'messageId' | 'enqueuedAt'>,
): Promise<void> {
  if (request.encrypt === true)
    throw new SubmissionRefused(
      'encryption_unavailable',
      new Error(
        'an encrypted job is not accepted from a queue, which stores it unencrypted: submit it with POST /v1/jobs',
      ),
    );
  try {
    const caller = await callers.find(delivery);
    const actor = toActor(caller);
    const tenant = chooseTenant(caller, queueRequirements.jobs, request.tenant);
    // A flushed Redis assigns ids from 1 again; the time of sending keeps them distinct.
    const keyed =
      request.idempotencyKey === undefined
        ? { idempotencyKey: `${delivery.messageId}/${delivery.enqueuedAt}`, actorId: MESSAGE_ACTOR }
        : { idempotencyKey: request.idempotencyKey, actorId: identifyKeyOwner(actor) };
    await submissions.submit({ ...toJobRequest(request), ...keyed, tenant }, { actor });
  } catch (error) {
    if (isSubmissionRefusal(error) || error instanceof IdempotencyKeyReused || error instanceof ApiProblem) {
      throw new SubmissionRefused(error.code, error);
    }
    throw error;
  }
}
