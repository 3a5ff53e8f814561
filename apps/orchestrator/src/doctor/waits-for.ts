import type { WaitsFor } from '@phaseline/client';
import {
  describeWaiter,
  jobStream,
  phaseStream,
  findWaiter,
  type AwaitedMessage,
  type JobState,
  type PhaseState,
  type Waiter,
} from '@phaseline/domain';
import { isUnreachable, type EventStore } from '@phaseline/event-store';
import { type ProcessRegistry, type Quarantine } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import type { JobRepository } from '@phaseline/repository';
import type { Queues } from '@phaseline/queue';
import { isServed } from '../processes/is-served.js';
import type { SlotWaitReason } from '../tenants/describe-slot-wait.js';

export interface WaitExplainerParts {
  readonly store: Pick<EventStore, 'head'>;
  readonly repository: JobRepository;
  readonly quarantine: Pick<Quarantine, 'list'>;
  readonly processes: Pick<ProcessRegistry, 'isLeaseHeld' | 'isCallHeld' | 'listReports'>;
  readonly queues: Pick<Queues, 'has'>;
  /** Returns why the job waits for a slot; undefined when it does not. Absent when slots are not counted. */
  readonly findSlotWait?: (jobId: JobId) => Promise<SlotWaitReason | undefined>;
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
        command: `phaseline retry ${jobId}`,
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
    const slotWait = idle ? await this.parts.findSlotWait?.(jobId) : undefined;
    const waiter = findWaiter(job, phase, { isTenantAtLimit: slotWait !== undefined });
    if (!waiter) return undefined;
    const ofPhase =
      waiter.kind === 'lease' ||
      waiter.kind === 'message' ||
      waiter.kind === 'approval' ||
      waiter.kind === 'question' ||
      waiter.kind === 'child';
    const head = await this.parts.store.head(ofPhase ? phaseStream(jobId, waiter.phase) : jobStream(jobId));
    const command = slotWait?.command ?? findCommand(waiter, jobId);
    return {
      kind: waiter.kind,
      description: slotWait?.description ?? describeWaiter(waiter),
      ...(head ? { since: head.updatedAt } : {}),
      ...details(waiter),
      ...(command === undefined ? {} : { command }),
      ...(await this.findProblem(waiter)),
    };
  }

  /** Checks what the log alone cannot tell: whether the lease owner is alive, and whether the message is queued and taken. */
  private async findProblem(waiter: Waiter): Promise<Pick<WaitsFor, 'problem' | 'command'>> {
    if (waiter.kind === 'lease' && !(await this.parts.processes.isLeaseHeld(waiter.leaseOwner, waiter.leaseName)))
      return {
        problem: 'that process has died or released it; the reconciler dispatches it again within seconds',
      };
    if (waiter.kind !== 'message' && waiter.kind !== 'import') return {};
    const processes = await this.parts.processes.listReports();
    const unserved = waiter.messages.find(({ queue }) => !isServed(queue, processes));
    if (unserved) return describeUnserved(unserved.queue);
    const found = await Promise.all(waiter.messages.map((message) => this.isQueuedOrHeld(message)));
    return found.some(Boolean)
      ? {}
      : { problem: 'no message for it is queued; the reconciler sends one within seconds' };
  }

  /** Whether a message is in its queue, or was handed over to a process that handles it. */
  private async isQueuedOrHeld({ queue, id, lease }: AwaitedMessage): Promise<boolean> {
    const { queues, processes } = this.parts;
    return (await queues.has(queue, id)) || (lease !== undefined && (await processes.isCallHeld(lease)));
  }
}

/** The service that takes the messages of each queue on which a job can wait. */
const services = {
  strategic: 'strategic-worker',
  tactical: 'tactical-worker',
  tools: 'tool-runner',
  repositories: 'tool-runner',
} as const;

function describeUnserved(queue: keyof typeof services): Pick<WaitsFor, 'problem' | 'command'> {
  const service = services[queue];
  return {
    problem: `no running process takes messages of the queue ${queue}; start a ${service}`,
    command: `docker compose up -d ${service}`,
  };
}

/** Finds the command with which a person ends the wait. */
function findCommand(waiter: Waiter, jobId: JobId): string | undefined {
  if (waiter.kind === 'pause') return `phaseline resume ${jobId}`;
  return waiter.kind === 'approval' || waiter.kind === 'question' ? `phaseline inbox ${jobId}` : undefined;
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
