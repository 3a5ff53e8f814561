import type { CallId, JobId } from '@phaseline/contracts';
import type { Caller } from '@phaseline/identity';
import type { JobRepository } from '@phaseline/repository';
import { requireJobRight } from '../access/access-guard.js';
import type { JobTenants } from '../access/job-tenants.js';
import { ApiProblem } from '../problem/api-problem.js';
import { isPlan, type PlanReader } from './plan-reader.js';

/** A decision about a call that waits for a person. */
export interface PersonDecision {
  readonly callId: CallId;
  /** Name of the person who decides. */
  readonly actor: string;
  /** Whether the call is to run with other arguments. */
  readonly amends: boolean;
}

/** What holds for decisions about plans, by whichever route they arrive. */
export class PlanRules {
  constructor(
    private readonly repository: JobRepository,
    private readonly reader: PlanReader,
    private readonly tenants: JobTenants,
  ) {}

  /**
   * Refuses a decision about a plan whose author is neither its person nor has the right `plans:approve`, and other arguments for the approval of
   * an artifact: they name what the person saw. Does nothing for jobs that are no plans. Throws ApiProblem.
   */
  async check(jobId: JobId, caller: Caller, { callId, actor, amends }: PersonDecision): Promise<void> {
    const job = await this.repository.loadJob(jobId);
    if (!job || !isPlan(job)) return;
    if ((await this.reader.findUser(jobId)) !== actor)
      requireJobRight(caller, 'plans:approve', jobId, await this.tenants.find(jobId));
    if (!amends) return;
    const wait = await this.reader.readWait(jobId);
    if (wait?.kind === 'approval' && wait.callId === callId && wait.contentHash !== undefined)
      throw new ApiProblem(
        'request_refused',
        `Not done: the approval is for the artifact ${wait.contentHash}, and no other arguments can be given. Refuse it, and say what is to be changed.`,
      );
  }
}
