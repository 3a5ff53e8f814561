import type { JobId } from '@phaseline/contracts';
import { faultPoint } from '@phaseline/fault-points';
import type { JobRequest } from '../job-request.js';
import { IdempotencyKeyReused } from '../submit-errors.js';
import { submitJob, type SubmissionParts } from '../submit-job.js';
import { FOLLOW_ON_ACTOR, type FollowOnAgent, type FollowOnBatch, type FollowOnBatches } from './follow-on-batches.js';

/**
 * Submits one job per batch that an agent may start in a tenant now. Safe to call at any time, concurrently, and after a crash at any point:
 * each batch gets one job. Returns the batches whose jobs were submitted. Throws what `submitJob` throws; the batch is then tried again by the
 * next call.
 */
export async function submitFollowOns(
  parts: SubmissionParts,
  batches: FollowOnBatches,
  agent: FollowOnAgent,
  tenant: string,
): Promise<readonly FollowOnBatch[]> {
  const formed = await batches.form(agent, tenant);
  for (const batch of formed) {
    faultPoint('follow-on.formed', batch.jobId);
    await submitBatch(parts, batch, await batches.listWriters(batch));
    faultPoint('follow-on.submitted', batch.jobId);
    await batches.markSubmitted(batch);
  }
  return formed;
}

async function submitBatch(parts: SubmissionParts, batch: FollowOnBatch, writers: readonly JobId[]): Promise<void> {
  try {
    const labels = await readCommonLabels(parts, writers);
    await submitJob(parts, toRequest(batch, labels), { actor: { id: FOLLOW_ON_ACTOR, kind: 'service' } });
  } catch (error) {
    // The job exists; a release that words its request differently submitted it.
    if (!(error instanceof IdempotencyKeyReused)) throw error;
  }
}

/** Returns the labels that all of these jobs have, so that a follow-on job is found together with the jobs that it follows. */
async function readCommonLabels(
  { repository }: SubmissionParts,
  jobIds: readonly JobId[],
): Promise<Readonly<Record<string, string>>> {
  let common: Readonly<Record<string, string>> | undefined;
  for (const jobId of jobIds) {
    const labels = (await repository.loadJob(jobId))?.submitted.labels ?? {};
    common = common
      ? Object.fromEntries(Object.entries(common).filter(([key, value]) => labels[key] === value))
      : labels;
  }
  return common ?? {};
}

function toRequest(
  { agent, tenant, collection, batch, requirements, jobId }: FollowOnBatch,
  labels: Readonly<Record<string, string>>,
): JobRequest {
  return {
    agent,
    tenant,
    jobId,
    instructions: `This job was started because requirements in the cache are open: ${requirements} in batch ${batch}.`,
    labels,
    followOn: { collection, batch, requirements },
    actorId: FOLLOW_ON_ACTOR,
  };
}
