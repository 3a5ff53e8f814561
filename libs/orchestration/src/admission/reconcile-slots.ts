import { jobHasEnded, parseStreamName, phaseStream, type JobState, type PhaseState } from '@phaseline/domain';
import type { EventLog, StreamHead } from '@phaseline/event-store';
import { isUnreadable, type Histories } from '@phaseline/history';
import type { JobDriver } from '../job-driver.js';
import type { Admission, Slot } from './admission.js';
import { needsSlot } from './job-slots.js';
import { slotOf } from './slot-of.js';

export interface SlotReconcilerParts {
  readonly store: EventLog;
  readonly histories: Histories;
  readonly driver: JobDriver;
  readonly admission: Admission;
}

type Report = (streamId: string, error: unknown) => void;

/** What the last pass saw of an open phase. */
interface Seen {
  readonly version: number;
  /** Whether it needed a slot at that version; unknown while it moves. */
  readonly needs: boolean | undefined;
}

const PAGE = 500;

/**
 * Brings the slots in line with the log, which alone is true: a process may die between any two steps, and the table of the
 * slots may be emptied. A slot whose phase never began is used now; one whose phase has ended, or waits for a person, goes on
 * to others; a phase that runs without a slot is counted. Then what there is room for is given out.
 */
export class SlotReconciler {
  /** Slots without an open phase at the last pass. One that was only just given out is about to be used. */
  private unused: ReadonlySet<string> = new Set();
  private seen: ReadonlyMap<string, Seen> = new Map();
  private someWait = true;

  constructor(private readonly parts: SlotReconcilerParts) {}

  /** Whether the last pass left nothing that may change without an event: nobody waits for a slot, and all are where they belong. */
  get atRest(): boolean {
    return (
      !this.someWait && this.unused.size === 0 && [...this.seen.values()].every(({ needs }) => needs !== undefined)
    );
  }

  /** Returns the slots that jobs wait for: until the streams of such a job change there is nothing to decide about it. */
  async pass(onProblem: Report): Promise<ReadonlyMap<string, Slot>> {
    const { admission, driver } = this.parts;
    // In this order: a phase that begins meanwhile is in neither list or without its slot, and noting that again changes nothing.
    const slots = await admission.slots();
    const open = await this.openPhases();
    const held = new Map<string, Slot>();
    for (const slot of slots) if (slot.grantedAt) held.set(phaseStream(slot.jobId, slot.phase), slot);
    await this.useOrRelease(
      [...held].filter(([streamId]) => !open.has(streamId)),
      onProblem,
    );
    await this.count(open, held, onProblem);
    await driver.handOn(await admission.fill());
    const waiting = slots.filter(({ grantedAt }) => grantedAt === undefined);
    this.someWait = waiting.length > 0;
    return new Map(waiting.map((slot) => [slot.jobId, slot]));
  }

  private async useOrRelease(slots: readonly (readonly [string, Slot])[], onProblem: Report): Promise<void> {
    const { histories, admission, driver } = this.parts;
    const unused = new Set<string>();
    for (const [streamId, { jobId, grantedAt }] of slots) {
      const mark = `${streamId} ${grantedAt}`;
      if (!this.unused.has(mark)) {
        unused.add(mark);
        continue;
      }
      await this.attempt(streamId, jobId, onProblem, async () => {
        await driver.advance(jobId);
        const job = await histories.job(jobId);
        const phase = job?.active && (await histories.phase(jobId, job.active.phase));
        if (!needsSlot(job, phase) && !awaitsNext(job, phase)) await driver.handOn(await admission.leave(jobId));
      });
    }
    this.unused = unused;
  }

  private async count(
    open: ReadonlyMap<string, StreamHead>,
    held: ReadonlyMap<string, Slot>,
    onProblem: Report,
  ): Promise<void> {
    const { admission, driver } = this.parts;
    const seen = new Map<string, Seen>();
    for (const [streamId, { version }] of open) {
      await this.attempt(streamId, held.get(streamId)?.jobId, onProblem, async () => {
        const before = this.seen.get(streamId);
        const still = before?.version === version;
        const slot = held.get(streamId);
        // One that moves and has its slot is as it should be; only where it stands still it is worth a look.
        const look = slot === undefined ? !still || before.needs !== false : still && before.needs === undefined;
        const found = look ? await this.look(streamId) : undefined;
        if (found && !slot) await admission.note(slotOf(found.job, found.phase));
        if (look && !found && slot) await driver.handOn(await admission.leave(slot.jobId));
        seen.set(streamId, { version, needs: look ? found !== undefined : still ? before.needs : undefined });
      });
    }
    this.seen = seen;
  }

  /** A job that cannot be read does not go on, so its slot goes to others. */
  private async attempt(
    streamId: string,
    slotHolder: string | undefined,
    onProblem: Report,
    run: () => Promise<void>,
  ): Promise<void> {
    try {
      await run();
    } catch (error) {
      onProblem(streamId, error);
      if (slotHolder === undefined || !isUnreadable(error)) return;
      await this.parts.driver.freeSlot(slotHolder).catch((failure: unknown) => onProblem(streamId, failure));
    }
  }

  /** The job and the phase, if the phase needs a slot. */
  private async look(streamId: string): Promise<{ job: JobState; phase: PhaseState } | undefined> {
    const name = parseStreamName(streamId);
    if (name?.kind !== 'phase') return undefined;
    const job = await this.parts.histories.job(name.jobId);
    const phase = await this.parts.histories.phase(name.jobId, name.phase);
    return job && phase && needsSlot(job, phase) ? { job, phase } : undefined;
  }

  private async openPhases(): Promise<Map<string, StreamHead>> {
    const open = new Map<string, StreamHead>();
    for (let after: string | undefined; ;) {
      const page = await this.parts.store.openStreams({
        prefix: 'phase-',
        idleForMs: 0,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const head of page) open.set(head.streamId, head);
      after = page.at(-1)?.streamId;
      if (page.length < PAGE) return open;
    }
  }
}

/** Whether the job's phase has ended and the next one waits for its slot, as its row then says. */
function awaitsNext(job: JobState | undefined, phase: PhaseState | undefined): boolean {
  return job !== undefined && !jobHasEnded(job) && !job.paused && phase?.end !== undefined;
}
