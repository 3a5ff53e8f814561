import { messageSpecs, type CallId, type JobId, type Sender } from '@phaseline/contracts';
import {
  foldJob,
  forkJob,
  hasJobEnded,
  jobStream,
  type Guard,
  type JobDefinition,
  type JobEvent,
  type JobState,
} from '@phaseline/domain';
import { PhaseRunner, ToolRunner, type HeldLeases, type ModelCatalogue } from '@phaseline/execution';
import { JobDriver } from '@phaseline/orchestration';
import { buildJobAppend, createForkJobId, JobRepository } from '@phaseline/repository';
import type { ToolRegistry } from '@phaseline/tools';
import type { ReadableLog } from '../log/recorded-job.js';
import { OverlayLog } from './overlay-log.js';

/** Messages after which a replay is considered endless. */
const MAX_MESSAGES = 100_000;

/** A job that costs more than it did must not end earlier. */
const UNLIMITED = { maxCostUsd: 1_000_000, maxTokens: 1_000_000_000_000 };

export interface ReplayParts {
  readonly tools: ToolRegistry;
  readonly models: ModelCatalogue;
  /** Guards of the installation and of the tenant with which the phases of the job began. */
  readonly sharedGuards: readonly Guard[];
  readonly signal: AbortSignal;
}

/** A job that was played again in memory. */
export interface ReplayedJob {
  readonly jobId: JobId;
  readonly log: OverlayLog;
  readonly job: JobState;
}

/**
 * Plays a recorded job again from its beginning with another definition: answers of the model, results of tools and decisions of people are those
 * of the recording, and everything else is decided by this release. Nothing is appended to the log. Undefined if it cannot be forked.
 */
export async function replayWithDefinition(
  log: ReadableLog,
  submitted: Extract<JobEvent, { type: 'JobSubmitted' }>,
  definition: JobDefinition,
  { tools, models, sharedGuards, signal }: ReplayParts,
): Promise<ReplayedJob | undefined> {
  const { jobId: parent } = submitted.data;
  const first = await log.readAt(jobStream(parent), 1);
  if (!first) return undefined;
  let now = Date.parse(first.recordedAt);
  // Limits of time were kept by the recording. The clock moves so little that none is reached.
  const clock = { now: () => new Date((now += 1)) };
  const overlay = new OverlayLog(log, () => now);
  const jobId = createForkJobId(parent, {});
  const decision = forkJob(
    {
      position: first.position,
      job: foldJob([submitted])!,
      parent: { jobId: parent, version: 1, hash: first.hash },
    },
    { jobId, actor: 'what-if', requestHash: '0'.repeat(64), mode: 'recorded', definition, budgets: UNLIMITED },
    clock.now(),
  );
  if (decision.kind === 'refused') return undefined;
  await overlay.append([buildJobAppend(jobId, 0, decision.job, ORIGIN)]);

  const repository = new JobRepository(overlay);
  const messages: PhaseMessage[] = [];
  const sender: Sender = {
    send: async (queue, payload) => {
      if (queue !== 'strategic' && queue !== 'tactical' && queue !== 'tools') return;
      // The queue determines the payload, which the type of the parameters does not say.
      const id = messageSpecs[queue].id(payload as never);
      if (!messages.some((waiting) => waiting.id === id)) messages.push({ queue, id, payload } as PhaseMessage);
    },
  };
  const leases = { isLeaseHeld: async () => false, isCallHeld: async () => false };
  const heldLeases: HeldLeases = { addLease: () => undefined, removeLease: () => undefined };
  const parts = { repository, sender, leases, heldLeases, tools, clock, blobs: overlay.blobs };
  const driver = new JobDriver({
    ...parts,
    processId: 'what-if-orchestrator',
    store: overlay,
    listSharedGuards: async () => sharedGuards,
  });
  const worker = new PhaseRunner({ ...parts, processId: 'what-if-worker', models });
  const runner = new ToolRunner({ ...parts, processId: 'what-if-runner', limits: { attempts: 1, backoffMs: 1 } });
  for (let handled = 0; handled < MAX_MESSAGES;) {
    signal.throwIfAborted();
    const wait = await driver.advance(jobId);
    const message = messages.shift();
    if (message) {
      handled += 1;
      // Neither calls a model or a tool: the source of a recorded phase repeats their results.
      await (message.queue === 'tools' ? runner : worker).run(message.payload, signal);
    } else if (wait) break;
  }
  const job = (await repository.loadJob(jobId))!;
  return hasJobEnded(job) || job.active ? { jobId, log: overlay, job } : undefined;
}

const ORIGIN = { actor: { id: 'what-if', kind: 'process' } } as const;

interface PhaseMessage {
  readonly queue: 'strategic' | 'tactical' | 'tools';
  readonly id: string;
  readonly payload: { readonly jobId: JobId; readonly phase: number; readonly epoch: number; readonly callId: CallId };
}
