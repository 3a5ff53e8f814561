import type { JobId } from '@phaseline/contracts';
import type { PhaseState } from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { HeldLeases } from './ports.js';

interface Run {
  readonly jobId: JobId;
  readonly phase: number;
  readonly abort: AbortController;
  /** Whether the same work was requested again during the run. */
  isRequestedAgain: boolean;
}

/** The work that a runner is doing, by the name of its lease. The process holds the lease while the work runs. */
export class RunningWork {
  private readonly runs = new Map<string, Run>();

  constructor(
    private readonly heldLeases: HeldLeases,
    private readonly repository: Pick<JobRepository, 'loadPhase'>,
  ) {}

  /**
   * Runs work on a phase under a lease; returns `undefined` when it is running already. `work` receives its run, and a signal
   * that fires at shutdown and when the phase has ended.
   */
  async run<Result>(
    lease: string,
    { jobId, phase }: { readonly jobId: JobId; readonly phase: number },
    shutdown: AbortSignal,
    work: (stop: AbortSignal, run: Run) => Promise<Result>,
  ): Promise<Result | undefined> {
    const running = this.runs.get(lease);
    if (running) {
      running.isRequestedAgain = true;
      return undefined;
    }
    const run: Run = { jobId, phase, abort: new AbortController(), isRequestedAgain: false };
    this.runs.set(lease, run);
    this.heldLeases.addLease(lease);
    try {
      return await work(AbortSignal.any([shutdown, run.abort.signal]), run);
    } finally {
      this.runs.delete(lease);
      this.heldLeases.removeLease(lease);
    }
  }

  /**
   * Stops work whose phase has ended according to the log: of one job, or of all. Calls `onOpen` with the lease and the
   * state of every other phase.
   */
  async stopEnded(jobId?: JobId, onOpen?: (lease: string, state: PhaseState) => void): Promise<void> {
    for (const [lease, run] of this.runs) {
      if (jobId !== undefined && run.jobId !== jobId) continue;
      const state = await this.repository.loadPhase(run.jobId, run.phase);
      if (state?.end) run.abort.abort();
      else if (state) onOpen?.(lease, state);
    }
  }
}
