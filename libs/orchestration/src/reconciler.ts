import { listOpenStreams } from './list-open-streams.js';
import type { Sender, ProcessId, StreamId, JobId } from '@phaseline/contracts';
import { awaitsOthers, dueWork, parseStreamName } from '@phaseline/domain';
import type { EventLog, StreamHead } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import type { JobRepository } from '@phaseline/repository';
import type { Admission } from './admission/admission.js';
import { SlotReconciler } from './admission/reconcile-slots.js';
import { dispatchDue } from './dispatch-due.js';
import type { JobDriver } from './job-driver.js';
import type { Leases } from './ports.js';

export interface ReconcilerParts {
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly driver: JobDriver;
  readonly sender: Sender;
  readonly leases: Leases;
  /** The admission that the driver uses. */
  readonly admission?: Admission;
  /** Submits child jobs and reports their ends again; absent where no job delegates. */
  readonly children?: { reconcile(jobId: JobId): Promise<void> };
}

export interface ReconcilerOptions {
  /** Time without writes after which a stream is checked, in milliseconds. */
  readonly idleForMs: number;
  /** A monotonic clock in milliseconds; default `performance.now()`. */
  readonly steadyNow?: () => number;
}

/** A stream that waits for an event or for a time. */
interface WaitingStream {
  /** Versions of all streams that decide what is due. Checking again at the same versions gives the same result. */
  readonly versions: string;
  /**
   * When the stream is checked even without a change, because a timer is due; on the monotonic clock. Infinity when there
   * is no timer.
   */
  readonly until: number;
  /** Whether the job waits for a slot. It is checked again when the table of slots does not contain it. */
  readonly awaitsSlot: boolean;
}

interface LastPass {
  readonly beganAt: number;
  /** Whether only an event, or the time `until`, can change what the pass found. */
  readonly atRest: boolean;
  /** When the first timer is due, on the monotonic clock. */
  readonly until: number;
}

/** A process that has died, with the streams and calls (`<stream>/<call>`) whose leases it held. */
export interface DeadProcess {
  readonly processId: ProcessId;
  readonly leases: readonly string[];
}

export interface ReconcilerPass {
  readonly streams: number;
  /** Number of messages sent, including those that a queue dropped because it already held them. */
  readonly sent: number;
}

/** Time after which a timer counts as lost when its message has not arrived. */
const TIMER_LATE_MS = 1_000;
/** Time between checks of a phase that waits for child jobs. Events do this; the check repeats what failed. */
const CHILD_CHECK_MS = 60_000;
/** Maximum time between passes, even if nothing seems to have changed: the table of slots may have been emptied, for example. */
const MAX_REST_MS = 60_000;
/** An event gets its time stamp slightly before it becomes visible. */
const STAMP_MARGIN_MS = 250;

/**
 * Rebuilds every due message from the log. Queues may lose messages: one that was never sent because a process died
 * first, or all of them when Redis is flushed. What is due follows from the streams alone, and the queue recognises a
 * message it already holds by its id, so an extra pass does no harm.
 */
export class Reconciler {
  private seenDead: ReadonlySet<string> = new Set();

  private readonly slots: SlotReconciler | undefined;
  private waiting: ReadonlyMap<StreamId, WaitingStream> = new Map();
  private last: LastPass | undefined;

  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions,
  ) {
    const { admission } = parts;
    this.slots = admission && new SlotReconciler({ ...parts, admission });
  }

  /**
   * Checks every open stream that is idle and not skipped. A stream that waits for a person, a timer, a slot or another
   * phase is checked once: it is checked again when its log changes or the time has come. A stream with a due message is checked
   * in every pass, because queues may lose messages without a notice. A stream that cannot be read is reported and does not
   * stop the others.
   */
  async runPass(
    onProblem: (streamId: StreamId, error: unknown) => void,
    shouldSkip: (streamId: StreamId) => boolean = () => false,
  ): Promise<ReconcilerPass> {
    const beganAt = this.now();
    let atRest = true;
    const report = (streamId: StreamId, error: unknown): void => {
      atRest = false;
      onProblem(streamId, error);
    };
    this.last = undefined;
    const awaitSlots = await this.slots?.runPass(report);
    const { heads, openPhases } = await this.openStreams();
    const waiting = new Map<StreamId, WaitingStream>();
    let sent = 0;
    for (const head of heads) {
      const { streamId, correlationId, updatedAt } = head;
      if (shouldSkip(streamId)) {
        atRest = false;
        continue;
      }
      const slotWait = awaitSlots?.get(correlationId);
      // Jobs still waiting for their first slot have nothing to decide, so skip them.
      if (slotWait?.phase === 1 && slotWait.requestedAt > updatedAt) continue;
      const versions = versionsOf(head, openPhases);
      const known = this.waiting.get(streamId);
      if (known?.versions === versions && this.now() < known.until && (!known.awaitsSlot || slotWait)) {
        waiting.set(streamId, known);
        continue;
      }
      try {
        const found = await this.dispatchStream(streamId);
        sent += found.sent;
        if (found.wait) waiting.set(streamId, { versions, ...found.wait });
        else atRest = false;
      } catch (error) {
        report(streamId, error);
      }
    }
    this.waiting = waiting;
    const until = [...waiting.values()].reduce((first, one) => Math.min(first, one.until), Infinity);
    this.last = { beganAt, atRest: atRest && (this.slots?.isAtRest ?? true), until };
    return { streams: heads.length, sent };
  }

  /**
   * Returns whether the next pass can be skipped because it would find what the last one found: no message is due that
   * could get lost, no timer is due, and no event was appended after all streams were found to be idle. `logUnchangedSince`
   * is the time (on the monotonic clock) since which the log is known to be unchanged, or undefined when it is not
   * known.
   */
  canRest(logUnchangedSince: number | undefined): boolean {
    if (!this.last?.atRest || logUnchangedSince === undefined) return false;
    const { beganAt, until } = this.last;
    const now = this.now();
    const sawAll = logUnchangedSince + this.options.idleForMs + STAMP_MARGIN_MS <= beganAt;
    return sawAll && now < until && now - beganAt < MAX_REST_MS;
  }

  private now(): number {
    return this.options.steadyNow?.() ?? performance.now();
  }

  /**
   * Returns all idle open streams, and for each job the versions of its open phases, idle or not: a job waits for the
   * end of its phase.
   */
  private async openStreams(): Promise<{
    readonly heads: readonly StreamHead[];
    readonly openPhases: ReadonlyMap<JobId, string>;
  }> {
    const { store } = this.parts;
    const openPhases = new Map<string, string>();
    // Phases first: when a phase ends in between, its job is checked again in the next pass.
    for (const { streamId, correlationId, version } of await listOpenStreams(store, { prefix: 'phase-', idleForMs: 0 }))
      openPhases.set(correlationId, `${openPhases.get(correlationId) ?? ''} ${streamId}@${version}`);
    return { heads: await listOpenStreams(store, { idleForMs: this.options.idleForMs }), openPhases };
  }

  /**
   * Dispatches the work of processes that have just died, so that it need not wait until all open streams are checked.
   * Pass the whole list each time: a process is handled once while it stays in the list. Returns the number of messages
   * sent.
   */
  async dispatchForDead(
    dead: readonly DeadProcess[],
    onProblem: (streamId: StreamId, error: unknown) => void,
  ): Promise<number> {
    const newlyDead = dead.filter(({ processId }) => !this.seenDead.has(processId));
    this.seenDead = new Set(dead.map(({ processId }) => processId));
    const streams = new Set(newlyDead.flatMap(({ leases: holds }) => holds.map((lease) => lease.split('/', 1)[0]!)));
    let sent = 0;
    for (const streamId of streams) {
      try {
        sent += (await this.dispatchStream(streamId)).sent;
      } catch (error) {
        onProblem(streamId, error);
      }
    }
    return sent;
  }

  /**
   * Dispatches what is due for a stream. `wait` is undefined when something is due, or may become due without an event
   * or a timer.
   */
  private async dispatchStream(
    streamId: StreamId,
  ): Promise<{ readonly sent: number; readonly wait?: Pick<WaitingStream, 'until' | 'awaitsSlot'> }> {
    const name = parseStreamName(streamId);
    if (!name) return { sent: 0, wait: { until: Infinity, awaitsSlot: false } };
    if (name.kind === 'job') {
      const wait = await this.parts.driver.advance(name.jobId);
      if (!wait) return { sent: 0 };
      const { timerInMs, awaitsSlot, awaitsRepository } = wait;
      // A queue may lose the message, so it is sent in every pass.
      if (awaitsRepository) return { sent: 1 };
      const until = timerInMs === undefined ? Infinity : this.now() + Math.max(0, timerInMs) + TIMER_LATE_MS;
      return { sent: 0, wait: { until, awaitsSlot } };
    }
    const state = await this.parts.repository.loadPhase(name.jobId, name.phase);
    if (!state) return { sent: 0 };
    faultPoint('reconciler.before-send', name.jobId);
    const sent = await dispatchDue(state, this.parts);
    const due = dueWork(state);
    if (this.parts.children && due.kind === 'child') {
      await this.parts.children.reconcile(name.jobId);
      return { sent, wait: { until: this.now() + CHILD_CHECK_MS, awaitsSlot: false } };
    }
    // A phase that waits for a person or for its job is changed by an event. A call that a worker holds is not: the log does
    // not show when the worker dies.
    const waits = state.paused !== undefined || awaitsOthers(due);
    return { sent, ...(waits ? { wait: { until: Infinity, awaitsSlot: false } } : {}) };
  }
}

/** Returns the versions that decide what is due: a job depends on its own stream and on those of its open phases. */
function versionsOf({ streamId, correlationId, version }: StreamHead, openPhases: ReadonlyMap<JobId, string>): string {
  return parseStreamName(streamId)?.kind === 'job'
    ? `${version}${openPhases.get(correlationId) ?? ''}`
    : String(version);
}
