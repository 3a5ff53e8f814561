import { listOpenStreams } from '../list-open-streams.js';
import type { JobId, StreamId } from '@phaseline/contracts';
import { hasJobEnded, parseStreamName, phaseStream, type JobState, type PhaseState } from '@phaseline/domain';
import type { EventLog, StreamHead } from '@phaseline/event-store';
import { isUnreadableJob, type JobRepository } from '@phaseline/repository';
import type { JobDriver } from '../job-driver.js';
import type { Admission, Slot } from './admission.js';
import { needsSlot } from './job-slots.js';
import { slotRequestOf } from './slot-requests.js';

export interface SlotReconcilerParts {
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly driver: JobDriver;
  readonly admission: Admission;
}

type Report = (streamId: StreamId, error: unknown) => void;

/** State of an open phase at the last pass. */
interface SeenPhase {
  readonly version: number;
  /** Whether the phase needed a slot at that version; undefined while its version still changes. */
  readonly needs: boolean | undefined;
}

/**
 * Brings the slots in line with the log, which alone is authoritative: a process may die between any two steps, and the
 * table of slots may be emptied. A slot whose phase never started is used in this pass. A slot whose phase has ended or waits
 * for a person goes to another job. A phase that runs without a slot is counted. Then every free slot is granted.
 *
 */
export class SlotReconciler {
  /**
   * Slots without an open phase at the last pass. A slot that was just granted is about to be used, so it is kept for one
   * pass.
   */
  private unused: ReadonlySet<string> = new Set();
  private seen: ReadonlyMap<string, SeenPhase> = new Map();
  private hasWaitingJobs = true;

  constructor(private readonly parts: SlotReconcilerParts) {}

  /** Whether only an event can change what the last pass found: no job waits for a slot, and no slot is misplaced. */
  get isAtRest(): boolean {
    return (
      !this.hasWaitingJobs &&
      this.unused.size === 0 &&
      [...this.seen.values()].every(({ needs }) => needs !== undefined)
    );
  }

  /**
   * Runs one pass. Returns the slots that jobs wait for: until the streams of such a job change, there is nothing to
   * decide for it.
   */
  async runPass(onProblem: Report): Promise<ReadonlyMap<string, Slot>> {
    const { admission, driver } = this.parts;
    // Slots first: a phase that starts in between is missing from both lists, or appears without its slot, and
    // recording that again changes nothing.
    const slots = await admission.listSlots();
    const heads = await listOpenStreams(this.parts.store, { prefix: 'phase-', idleForMs: 0 });
    const open = new Map(heads.map((head) => [head.streamId, head]));
    const held = new Map<StreamId, Slot>();
    for (const slot of slots) if (slot.grantedAt) held.set(phaseStream(slot.jobId, slot.phase), slot);
    await this.useOrReleaseUnused(
      [...held].filter(([streamId]) => !open.has(streamId)),
      onProblem,
    );
    await this.recordRunning(open, held, onProblem);
    await driver.advanceGranted(await admission.grantAvailable());
    const waiting = slots.filter(({ grantedAt }) => grantedAt === undefined);
    this.hasWaitingJobs = waiting.length > 0;
    return new Map(waiting.map((slot) => [slot.jobId, slot]));
  }

  private async useOrReleaseUnused(slots: readonly (readonly [StreamId, Slot])[], onProblem: Report): Promise<void> {
    const { repository, admission, driver } = this.parts;
    const unused = new Set<string>();
    for (const [streamId, { jobId, grantedAt }] of slots) {
      const mark = `${streamId} ${grantedAt}`;
      if (!this.unused.has(mark)) {
        unused.add(mark);
        continue;
      }
      await this.attempt(streamId, jobId, onProblem, async () => {
        await driver.advance(jobId);
        const job = await repository.loadJob(jobId);
        const phase = job?.active && (await repository.loadPhase(jobId, job.active.phase));
        if (!needsSlot(job, phase) && !awaitsNextPhase(job, phase))
          await driver.advanceGranted(await admission.releaseSlot(jobId));
      });
    }
    this.unused = unused;
  }

  private async recordRunning(
    open: ReadonlyMap<StreamId, StreamHead>,
    held: ReadonlyMap<string, Slot>,
    onProblem: Report,
  ): Promise<void> {
    const { admission, driver } = this.parts;
    const seen = new Map<string, SeenPhase>();
    for (const [streamId, { version }] of open) {
      await this.attempt(streamId, held.get(streamId)?.jobId, onProblem, async () => {
        const before = this.seen.get(streamId);
        const isUnchanged = before?.version === version;
        const slot = held.get(streamId);
        // A phase that progresses and has its slot is fine. Read it only when its version stopped changing.
        const shouldRead =
          slot === undefined ? !isUnchanged || before.needs !== false : isUnchanged && before.needs === undefined;
        const found = shouldRead ? await this.findPhaseInNeed(streamId) : undefined;
        if (found && !slot) await admission.recordRunning(slotRequestOf(found.job, found.phase));
        if (shouldRead && !found && slot) await driver.advanceGranted(await admission.releaseSlot(slot.jobId));
        seen.set(streamId, {
          version,
          needs: shouldRead ? found !== undefined : isUnchanged ? before.needs : undefined,
        });
      });
    }
    this.seen = seen;
  }

  /** A job that cannot be read makes no progress, so its slot goes to another job. */
  private async attempt(
    streamId: StreamId,
    slotJobId: JobId | undefined,
    onProblem: Report,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run();
    } catch (error) {
      onProblem(streamId, error);
      if (slotJobId === undefined || !isUnreadableJob(error)) return;
      await this.parts.driver.releaseSlot(slotJobId).catch((failure: unknown) => onProblem(streamId, failure));
    }
  }

  /** Returns the job and the phase if the phase needs a slot. */
  private async findPhaseInNeed(streamId: StreamId): Promise<{ job: JobState; phase: PhaseState } | undefined> {
    const name = parseStreamName(streamId);
    if (name?.kind !== 'phase') return undefined;
    const job = await this.parts.repository.loadJob(name.jobId);
    const phase = await this.parts.repository.loadPhase(name.jobId, name.phase);
    return job && phase && needsSlot(job, phase) ? { job, phase } : undefined;
  }
}

/** Returns whether the job's phase has ended and its next one waits for a slot. */
function awaitsNextPhase(job: JobState | undefined, phase: PhaseState | undefined): boolean {
  return job !== undefined && !hasJobEnded(job) && !job.paused && phase?.end !== undefined;
}
