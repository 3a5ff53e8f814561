import type { WaitsFor } from '@phaseline/client';
import {
  describeWaiter,
  jobStream,
  phaseStream,
  findWaiter,
  type JobState,
  type PhaseState,
  type Waiter,
} from '@phaseline/domain';
import { isUnreachable, type EventStore } from '@phaseline/event-store';
import { type ProcessRegistry, type Quarantine } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import type { JobRepository } from '@phaseline/repository';
import type { Queues } from '@phaseline/queue';

export interface WaitExplainerParts {
  readonly store: Pick<EventStore, 'head'>;
  readonly repository: JobRepository;
  readonly quarantine: Pick<Quarantine, 'list'>;
  readonly processes: Pick<ProcessRegistry, 'isLeaseHeld'>;
  readonly queues: Pick<Queues, 'has'>;
  /**
   * Returns why the job waits for a slot, for people; undefined when it does not. Absent when slots are not counted.
   */
  readonly describeSlotWait?: (jobId: JobId) => Promise<string | undefined>;
}

/** Finds who or what has to act next for a job to continue, and whether they exist. */
export class WaitExplainer {
  constructor(private readonly parts: WaitExplainerParts) {}

  /** Returns what a job waits for; undefined when it has ended or does not exist. */
  async explain(jobId: JobId): Promise<WaitsFor | undefined> {
    const [quarantined] = await this.parts.quarantine.list({ correlationId: jobId, isQuarantined: true });
    if (quarantined) {
      return {
        kind: 'quarantine',
        description: `a person: ${quarantined.streamId} failed ${quarantined.failures} times in the same way and was quarantined (${quarantined.reason})`,
        since: quarantined.firstAt,
        until: quarantined.nextCheckAt,
        problem: `it is checked again at ${quarantined.nextCheckAt}, immediately after \`phaseline retry ${jobId}\`, and by another release`,
      };
    }
    try {
      const { repository } = this.parts;
      const job = await repository.loadJob(jobId);
      const phase = job?.active && (await repository.loadPhase(jobId, job.active.phase));
      return job && (await this.describe(job, phase));
    } catch (error) {
      if (isUnreachable(error)) throw error;
      // A request about a broken job still gets a response.
      const problem = error instanceof Error ? error.message : String(error);
      return { kind: 'decision', description: 'the orchestrator, which cannot read the job at the moment', problem };
    }
  }

  private async describe(job: JobState, phase: PhaseState | undefined): Promise<WaitsFor | undefined> {
    const { jobId } = job.submitted;
    // Before its first phase, between two phases, or when a paused phase should continue.
    const idle = !job.paused && (!phase || phase.end !== undefined || phase.paused !== undefined);
    const slotWait = idle ? await this.parts.describeSlotWait?.(jobId) : undefined;
    const waiter = findWaiter(job, phase, { isTenantAtLimit: slotWait !== undefined });
    if (!waiter) return undefined;
    const ofPhase =
      waiter.kind === 'lease' ||
      waiter.kind === 'message' ||
      waiter.kind === 'approval' ||
      waiter.kind === 'question' ||
      waiter.kind === 'child';
    const head = await this.parts.store.head(ofPhase ? phaseStream(jobId, waiter.phase) : jobStream(jobId));
    const problem = await this.problemOf(waiter);
    return {
      kind: waiter.kind,
      description: slotWait ?? describeWaiter(waiter),
      ...(head ? { since: head.updatedAt } : {}),
      ...details(waiter),
      ...(problem === undefined ? {} : { problem }),
    };
  }

  /** Checks what the log alone cannot tell: whether the lease owner is alive, and whether the message is queued. */
  private async problemOf(waiter: Waiter): Promise<string | undefined> {
    if (waiter.kind === 'lease' && !(await this.parts.processes.isLeaseHeld(waiter.leaseOwner, waiter.leaseName)))
      return 'that process has died or released it; the reconciler dispatches it again within seconds';
    if (waiter.kind !== 'message' && waiter.kind !== 'import') return undefined;
    const queued = await Promise.all(waiter.messages.map(({ queue, id }) => this.parts.queues.has(queue, id)));
    return queued.some(Boolean) ? undefined : 'no message for it is queued; the reconciler sends one within seconds';
  }
}

function details(waiter: Waiter): Partial<WaitsFor> {
  switch (waiter.kind) {
    case 'lease':
      return { leaseOwner: waiter.leaseOwner, ...(waiter.outage ? { until: waiter.outage.until } : {}) };
    case 'timer':
      return { until: waiter.dueAt };
    case 'approval':
      return { callId: waiter.callId, ...(waiter.expiresAt === undefined ? {} : { until: waiter.expiresAt }) };
    case 'question':
      return { callId: waiter.callId, until: waiter.deadlineAt };
    case 'child':
      return { callId: waiter.callId };
    default:
      return {};
  }
}
