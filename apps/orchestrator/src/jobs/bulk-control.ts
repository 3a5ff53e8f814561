import { Injectable } from '@nestjs/common';
import { MAX_BULK_JOBS, type BulkOutcome, type BulkRequest, type BulkResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { ControlRequest } from '@phaseline/domain';
import { isUnreachable } from '@phaseline/event-store';
import { listTenantsWithRight, type Caller } from '@phaseline/identity';
import { JobDriver } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { requireJobRight } from '../access/access-guard.js';
import { JobTenants } from '../access/job-tenants.js';
import { ApiProblem } from '../problem/api-problem.js';
import { QuarantineKeeper } from '../reconciler/quarantine-keeper.js';
import { requireJobOutcome, type ControlHeaders } from './control-headers.js';
import { JobCursor } from './job-cursor.js';
import { toFilter } from './list-jobs.js';
import { releaseForRetry } from './release-for-retry.js';

/** Limits the requests to jobs that run at the same time. */
const MAX_CONCURRENT_REQUESTS = 8;
const PAGE_SIZE = 200;

const cursors = new JobCursor('oldest');

/** The jobs of a request. */
interface Selection extends Pick<BulkResponse, 'remaining' | 'nextCursor'> {
  readonly jobIds: readonly JobId[];
}

/** Makes the same request to many jobs. Each is decided and recorded like a request to one job. */
@Injectable()
export class BulkControl {
  constructor(
    private readonly driver: JobDriver,
    private readonly views: JobViews,
    private readonly tenants: JobTenants,
    private readonly quarantine: QuarantineKeeper,
  ) {}

  /** Makes the request. Refusals of single jobs are outcomes. Throws ApiProblem if nothing was requested. */
  async apply(request: BulkRequest, caller: Caller, order: ControlHeaders): Promise<BulkResponse> {
    const { jobIds, ...left } = await this.select(request, caller);
    const outcomes = new Map<JobId, BulkOutcome>();
    const waiting = [...jobIds];
    const workers = Array.from({ length: Math.min(MAX_CONCURRENT_REQUESTS, waiting.length) }, async () => {
      for (let jobId = waiting.shift(); jobId !== undefined; jobId = waiting.shift())
        outcomes.set(jobId, await this.applyToJob(jobId, request, caller, order));
    });
    await Promise.all(workers);
    return { outcomes: jobIds.map((jobId) => outcomes.get(jobId)!), ...left };
  }

  private async select({ jobIds, filter, cursor, expectedCount }: BulkRequest, caller: Caller): Promise<Selection> {
    if (jobIds) return { jobIds: [...new Set(jobIds)], remaining: 0 };
    const conditions = toFilter(filter ?? {}, listTenantsWithRight(caller, 'jobs:control'));
    let after = cursor === undefined ? undefined : cursors.decode(cursor);
    if (expectedCount !== undefined) {
      const count = await this.views.countMatching(conditions, after?.position);
      if (count > expectedCount)
        throw new ApiProblem(
          'request_refused',
          `Not done: ${count} jobs match, and ${expectedCount} were expected. Look at the jobs again.`,
        );
    }
    const selected: JobId[] = [];
    const most = Math.min(MAX_BULK_JOBS, expectedCount ?? MAX_BULK_JOBS);
    do {
      const limit = Math.min(PAGE_SIZE, most - selected.length);
      if (limit === 0) break;
      const page = await this.views.list({ ...conditions, sort: 'oldest', limit, after });
      selected.push(...page.jobs.map(({ jobId }) => jobId));
      after = page.next;
    } while (after);
    if (!after) return { jobIds: selected, remaining: 0 };
    const remaining = await this.views.countMatching(conditions, after.position);
    return { jobIds: selected, remaining, ...(remaining > 0 ? { nextCursor: cursors.encode(after) } : {}) };
  }

  private async applyToJob(
    jobId: JobId,
    request: BulkRequest,
    caller: Caller,
    order: ControlHeaders,
  ): Promise<BulkOutcome> {
    try {
      requireJobRight(caller, 'jobs:control', jobId, await this.tenants.find(jobId));
      if (request.dryRun) return { jobId, outcome: 'selected' };
      if (request.action === 'retry' && (await releaseForRetry(jobId, this.quarantine, this.views)))
        return { jobId, outcome: 'done', changed: true };
      const command = toCommand(request, order.actor);
      const outcome = requireJobOutcome(jobId, await this.driver.control(jobId, command, order));
      if (outcome.kind === 'recorded') return { jobId, outcome: 'done', changed: true };
      // Cancelling a job that has ended is no error.
      if (outcome.kind === 'nothing-to-do' || request.action === 'cancel')
        return { jobId, outcome: 'done', changed: false };
      return toRefusal(jobId, new ApiProblem(outcome.code ?? 'request_refused', `Not done: ${outcome.reason}.`));
    } catch (error) {
      if (error instanceof ApiProblem) return toRefusal(jobId, error);
      if (isUnreachable(error)) throw error;
      // One job that fails does not hide what became of the others.
      return toRefusal(jobId, new ApiProblem('internal', 'The request to this job failed. Send it again.'));
    }
  }
}

function toRefusal(jobId: JobId, { code, message }: ApiProblem): BulkOutcome {
  return { jobId, outcome: 'refused', code, message };
}

function toCommand({ action, reason, message = '' }: BulkRequest, actor: string): ControlRequest {
  if (action === 'steer') return { action, actor, message };
  return { action, actor, reason: reason ?? (action === 'cancel' ? 'cancelled by request' : '') };
}
