import type { PhaseState } from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import type { Sender, ProcessId, JobId, CallId } from '@phaseline/contracts';
import type { Clock, HeldLeases, Leases } from '../ports.js';
import type { Timers } from '../timers.js';
import type { AttemptLimits } from './attempt-tool.js';
import type { NewerEvents } from './newer-events.js';

/** Does something when the end of a remote call is in the log, before the phase continues. */
export interface CallEndListener {
  /** Whether it has something to do in this job. The end of a call is then not handed over. */
  concerns(state: PhaseState): boolean;
  /** Called with the state that contains the end; perhaps again for the same call. While it fails, the phase does not continue. */
  record(state: PhaseState, callId: CallId): Promise<void>;
}

export interface ToolRunnerParts {
  readonly processId: ProcessId;
  readonly repository: JobRepository;
  readonly blobs: BlobReader;
  readonly tools: ToolRegistry;
  readonly sender: Sender;
  readonly leases: Leases;
  readonly heldLeases: HeldLeases;
  readonly limits: AttemptLimits;
  readonly clock: Clock;
  /** Reads secrets of the job's tenant that the agent may use. Throws ToolError for one that does not exist. */
  readonly readSecrets?: (
    jobId: JobId,
    agent: string,
    names: readonly string[],
  ) => Promise<Readonly<Record<string, string>>>;
  readonly callEnds?: CallEndListener | undefined;
  /** Default: the real clock. */
  readonly timers?: Timers;
}

export interface ToolWork {
  readonly jobId: JobId;
  readonly phase: number;
  readonly callId: CallId;
  readonly epoch: number;
  /** The worker to which the phase is handed over when it can continue. */
  readonly worker?: ProcessId | undefined;
  readonly traceparent?: string | undefined;
  /** The newest events of the phase, if the sender enclosed them. */
  readonly newer?: NewerEvents | undefined;
}
