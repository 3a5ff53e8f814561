import type { StoredDeadLetter } from '@phaseline/cluster';
import { identifyKeyOwner, submitRequestSchema, type JobId } from '@phaseline/contracts';
import { jobStream } from '@phaseline/domain';
import type { EventStore } from '@phaseline/event-store';
import { toActor } from '@phaseline/identity';
import { createJobId } from '@phaseline/repository';
import { chooseTenant } from '../access/choose-tenant.js';
import { ApiProblem } from '../problem/api-problem.js';
import type { QueueCallers } from './queue-callers.js';
import { queueRequirements } from './queue-requirements.js';
import { keyOfRetry } from './retry-dead-letter.js';

/**
 * Finds the job that a message of the queue `jobs` submitted when it was sent again. Its id follows from the idempotency key of the message
 * and the sender. Undefined if the message was not sent again, is not handled yet, or was refused again.
 */
export async function findResentJob(
  { callers, store }: { readonly callers: Pick<QueueCallers, 'find'>; readonly store: Pick<EventStore, 'head'> },
  { id, queue, messageId, payload, retriedAt }: StoredDeadLetter,
): Promise<JobId | undefined> {
  if (queue !== 'jobs' || retriedAt === undefined || !('json' in payload)) return undefined;
  const request = submitRequestSchema.safeParse(payload.json);
  if (!request.success) return undefined;
  try {
    const caller = await callers.find({ messageId });
    const tenant = chooseTenant(caller, queueRequirements.jobs, request.data.tenant);
    const key = request.data.idempotencyKey ?? keyOfRetry(id);
    const jobId = createJobId({ isEncrypted: false, tenant, actorId: identifyKeyOwner(toActor(caller)), key });
    return (await store.head(jobStream(jobId))) ? jobId : undefined;
  } catch (error) {
    // The sender lost the right to submit, so nothing was submitted.
    if (error instanceof ApiProblem) return undefined;
    throw error;
  }
}
