import type { QueueDepth } from '@phaseline/client';
import type { ProcessReport } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import type { GuardOverLimit, TenantLoad } from '@phaseline/orchestration';

/** A process, as far as alerts need it. */
export type ProcessFacts = Pick<
  ProcessReport,
  'processId' | 'service' | 'host' | 'heartbeatAt' | 'silentForMs' | 'isDead' | 'problems' | 'queues'
>;

/** A job whose log is quarantined. */
export interface QuarantinedJob {
  readonly jobId: JobId;
  readonly reason: string;
  readonly failures: number;
  readonly since: string;
}

/** A call or a todo that waits for a person. */
export interface WaitingEntry {
  readonly jobId: JobId;
  readonly kind: 'approval' | 'question' | 'blocked-todo';
  readonly askedAt: string;
}

export interface AnchorFacts {
  /** Interval at which the log is anchored, in milliseconds. */
  readonly intervalMs: number;
  /** Age of the oldest event that no anchor covers, in milliseconds; 0 when there is none. */
  readonly unanchoredMs: number;
  /** Set while the attempts of this process fail. */
  readonly failure?: { readonly since: string; readonly message: string } | undefined;
}

export interface ProjectionFacts {
  /** Age of the oldest event that is not applied, in seconds. */
  readonly lagSeconds: number;
  /** Number of jobs with an event that cannot be applied. */
  readonly unreadableJobs: number;
}

/** Something that could not be read. Its alerts are missing. */
export interface FailedCheck {
  readonly name: 'queues' | 'read models' | 'anchors';
  readonly message: string;
}

/** What alerts are made of. What the caller may not see is absent or empty. */
export interface AlertFacts {
  /** The present time in epoch milliseconds. */
  readonly now: number;
  readonly queues: readonly QueueDepth[];
  /** All processes, which tell whether a queue is served. */
  readonly processes: readonly ProcessFacts[];
  /** Open dead letters by queue. */
  readonly deadLetters: Readonly<Record<string, number>>;
  readonly projection?: ProjectionFacts | undefined;
  /** Absent without a key for anchors. */
  readonly anchors?: AnchorFacts | undefined;
  readonly quarantined: readonly QuarantinedJob[];
  /** Oldest first. */
  readonly waiting: readonly WaitingEntry[];
  readonly tenants: readonly TenantLoad[];
  /** Stored guards that exceed a limit of their owner. */
  readonly guards: readonly GuardOverLimit[];
  readonly failures: readonly FailedCheck[];
}
