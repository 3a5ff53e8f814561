import { messageSpecs, type CallId, type JobId, type Sender } from '@phaseline/contracts';
import { assertReadable, hasJobEnded, type Guard } from '@phaseline/domain';
import { PhaseRunner, ToolRunner, type HeldLeases, type ModelCatalogue } from '@phaseline/execution';
import { MemoryLog } from '@phaseline/memory-log';
import { JobDriver, submitJob, type JobRequest, type ResolvedAgent } from '@phaseline/orchestration';
import { JobRepository } from '@phaseline/repository';
import { parseAmended, ToolRegistry, type ToolPack } from '@phaseline/tools';

/** Messages after which a job of a case is considered endless. */
const MAX_MESSAGES = 5_000;
/** Waits up to this long are skipped, such as the pause before another attempt. A longer one, such as for a person, ends the case. */
const MAX_SKIPPED_WAIT_MS = 3_600_000;
/** Every case begins at the same time, so that it runs in the same way each day. */
const START = Date.UTC(2026, 0, 5, 9);

interface Message {
  readonly queue: 'strategic' | 'tactical' | 'tools';
  readonly id: string;
  readonly payload: { readonly jobId: JobId; readonly phase: number; readonly epoch: number; readonly callId: CallId };
}

export interface PlayParts {
  readonly agent: ResolvedAgent;
  readonly request: JobRequest;
  readonly packs: readonly ToolPack[];
  readonly models: ModelCatalogue;
  /** Guards that each phase has in addition to those of its agent. */
  readonly guards: readonly Guard[];
  /** Whether nothing that could follow is part of the case. */
  readonly isOver: () => boolean;
  readonly signal: AbortSignal;
}

export interface PlayedJob {
  readonly jobId: JobId;
  readonly log: MemoryLog;
  readonly repository: JobRepository;
}

/**
 * Runs a job with the deciders, runners and guards of this release in this process, on a log in memory, until it has ended or waits for
 * something that is not part of the case. Throws what `submitJob` throws.
 */
export async function playJob({
  agent,
  request,
  packs,
  models,
  guards,
  isOver,
  signal,
}: PlayParts): Promise<PlayedJob> {
  let now = START;
  // The clock moves with each reading, as if work took time.
  const clock = { now: () => new Date((now += 1)) };
  const log = new MemoryLog(() => now, undefined, assertReadable);
  const repository = new JobRepository(log);
  const tools = new ToolRegistry(packs);
  const messages: Message[] = [];
  const sender: Sender = {
    send: async (queue, payload) => {
      if (queue !== 'strategic' && queue !== 'tactical' && queue !== 'tools') return;
      // The queue determines the payload, which the type of the parameters does not say.
      const id = messageSpecs[queue].id(payload as never);
      if (!messages.some((waiting) => waiting.id === id)) messages.push({ queue, id, payload } as Message);
    },
  };
  // One process does everything, so no lease outlives its owner.
  const leases = { isLeaseHeld: async () => false, isCallHeld: async () => false };
  const heldLeases: HeldLeases = { addLease: () => undefined, removeLease: () => undefined };
  const parts = { repository, sender, leases, heldLeases, tools, clock, blobs: log.blobs };
  const driver = new JobDriver({
    ...parts,
    processId: 'case-orchestrator',
    store: log,
    listSharedGuards: async () => guards,
    parseArguments: (phase, name, args) => parseAmended(tools, phase, name, args),
  });
  const worker = new PhaseRunner({ ...parts, processId: 'case-worker', models });
  const runner = new ToolRunner({ ...parts, processId: 'case-runner', limits: { attempts: 1, backoffMs: 1 } });
  const { jobId } = await submitJob(
    { store: log, repository, agents: { resolve: () => agent }, clock },
    { mayActForOthers: true, ...request },
    { actor: { id: 'case', kind: 'process' } },
  );
  for (let handled = 0; handled < MAX_MESSAGES && !isOver();) {
    const wait = await driver.advance(jobId);
    const message = messages.shift();
    if (message) {
      handled += 1;
      if (message.queue === 'tools') await runner.run(message.payload, signal);
      else await worker.run(message.payload, signal);
      continue;
    }
    if (!wait) continue;
    const job = await repository.loadJob(jobId);
    if (!job || hasJobEnded(job) || wait.timerInMs === undefined || wait.timerInMs > MAX_SKIPPED_WAIT_MS) break;
    now += wait.timerInMs + 1;
    handled += 1;
  }
  return { jobId, log, repository };
}
