import { dueWork, parseStreamName } from '@phaseline/domain';
import type { EventLog, StreamHead } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import type { Histories } from '@phaseline/history';
import type { Admission } from './admission/admission.js';
import { SlotReconciler } from './admission/reconcile-slots.js';
import { dispatchDue } from './dispatch-due.js';
import type { JobDriver } from './job-driver.js';
import type { Leases, Sender } from './ports.js';

export interface ReconcilerParts {
  readonly store: EventLog;
  readonly histories: Histories;
  readonly driver: JobDriver;
  readonly sender: Sender;
  readonly leases: Leases;
  /** The one that the driver asks. */
  readonly admission?: Admission;
}

export interface ReconcilerOptions {
  /** A stream that nobody has written to for this long, in milliseconds, is looked at. */
  readonly idleForMs: number;
  /** A clock that nobody sets, in milliseconds; default `performance.now()`. */
  readonly steadyNow?: () => number;
}

/** A stream that waits for something that its log, or a time, will tell. */
interface Waiting {
  /** Versions of all streams that decide what is due; another look at the same versions finds the same. */
  readonly versions: string;
  /** When it is looked at all the same: a timer is due then. By the steady clock; Infinity when there is none. */
  readonly until: number;
  /** Its job waits for a slot: looked at again when the table of the slots does not know of it. */
  readonly awaitsSlot: boolean;
}

interface LastPass {
  readonly beganAt: number;
  /** Nothing was found that may change without an event in the log or a time that comes. */
  readonly atRest: boolean;
  /** When the first timer is due. */
  readonly until: number;
}

/** A process that has died, and the streams, or calls in them (`<stream>/<call>`), that it worked on. */
export interface DeadProcess {
  readonly processId: string;
  readonly holds: readonly string[];
}

export interface ReconcilerPass {
  readonly streams: number;
  /** Messages put on queues; those that were there already are counted too, since the queue drops them in silence. */
  readonly sent: number;
}

const PAGE = 500;

/** Time after which a timer is looked after whose message has not come. */
const TIMER_LATE_MS = 1_000;
/** A pass is made at least this often, whatever is known: for a table of slots that was emptied, say. */
const LONGEST_REST_MS = 60_000;
/** An event is stamped a little before it can be seen. */
const STAMP_MARGIN_MS = 250;

/**
 * Rebuilds every due message from the log. Queues may lose anything: a message that was never sent because a process
 * died in between, or all of them with a flushed Redis. What is due follows from the streams alone, and a message that
 * is still queued is recognised by its id, so a pass too many does no harm.
 */
export class Reconciler {
  private seenDead: ReadonlySet<string> = new Set();

  private readonly slots: SlotReconciler | undefined;
  private waiting: ReadonlyMap<string, Waiting> = new Map();
  private last: LastPass | undefined;

  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions,
  ) {
    const { admission } = parts;
    this.slots = admission && new SlotReconciler({ ...parts, admission });
  }

  /**
   * Looks once at every open stream that is idle and not to be skipped. A stream that waits for a person, a timer, a slot or another
   * phase is looked at once: its log, or the time, tells when there is more to do. A stream for which a message is due is looked at in
   * every pass, since messages get lost without a trace. A stream that cannot be read is reported and does not stop the others.
   */
  async pass(
    onProblem: (streamId: string, error: unknown) => void,
    skips: (streamId: string) => boolean = () => false,
  ): Promise<ReconcilerPass> {
    const beganAt = this.now();
    let atRest = true;
    const report = (streamId: string, error: unknown): void => {
      atRest = false;
      onProblem(streamId, error);
    };
    this.last = undefined;
    const awaitSlots = await this.slots?.pass(report);
    const { heads, openPhases } = await this.openStreams();
    const waiting = new Map<string, Waiting>();
    let sent = 0;
    for (const head of heads) {
      const { streamId, correlationId, updatedAt } = head;
      if (skips(streamId)) {
        atRest = false;
        continue;
      }
      const slotWait = awaitSlots?.get(correlationId);
      // Of a thousand jobs that wait for their first slot none has anything to decide.
      if (slotWait?.phase === 1 && slotWait.requestedAt > updatedAt) continue;
      const versions = versionsOf(head, openPhases);
      const known = this.waiting.get(streamId);
      if (known?.versions === versions && this.now() < known.until && (!known.awaitsSlot || slotWait)) {
        waiting.set(streamId, known);
        continue;
      }
      try {
        const found = await this.mend(streamId);
        sent += found.sent;
        if (found.wait) waiting.set(streamId, { versions, ...found.wait });
        else atRest = false;
      } catch (error) {
        report(streamId, error);
      }
    }
    this.waiting = waiting;
    const until = [...waiting.values()].reduce((first, one) => Math.min(first, one.until), Infinity);
    this.last = { beganAt, atRest: atRest && (this.slots?.atRest ?? true), until };
    return { streams: heads.length, sent };
  }

  /**
   * Whether another pass would find what the last one found, so that it can be left: nothing is due that may get lost, no timer is due,
   * and no event came since all streams could be seen to be idle. `logUnchangedSince` is the time (by the steady clock) from which the
   * log is known to be unchanged, undefined when it is not known.
   */
  mayRest(logUnchangedSince: number | undefined): boolean {
    if (!this.last?.atRest || logUnchangedSince === undefined) return false;
    const { beganAt, until } = this.last;
    const now = this.now();
    const sawAll = logUnchangedSince + this.options.idleForMs + STAMP_MARGIN_MS <= beganAt;
    return sawAll && now < until && now - beganAt < LONGEST_REST_MS;
  }

  private now(): number {
    return this.options.steadyNow?.() ?? performance.now();
  }

  /** All idle open streams, and by job the versions of its open phases, idle or not: a job waits for the end of its phase. */
  private async openStreams(): Promise<{
    readonly heads: readonly StreamHead[];
    readonly openPhases: ReadonlyMap<string, string>;
  }> {
    const openPhases = new Map<string, string>();
    // In this order: a phase that ends in between has its job looked at again in the next pass.
    for (const { streamId, correlationId, version } of await this.list({ prefix: 'phase-', idleForMs: 0 }))
      openPhases.set(correlationId, `${openPhases.get(correlationId) ?? ''} ${streamId}@${version}`);
    return { heads: await this.list({ idleForMs: this.options.idleForMs }), openPhases };
  }

  private async list(which: { readonly prefix?: string; readonly idleForMs: number }): Promise<StreamHead[]> {
    const heads: StreamHead[] = [];
    for (let after: string | undefined; ;) {
      const page = await this.parts.store.openStreams({
        ...which,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      heads.push(...page);
      after = page.at(-1)?.streamId;
      if (page.length < PAGE) return heads;
    }
  }

  /**
   * Sends on at once what processes worked on that have just died, so that it need not wait until all open streams are looked
   * at. Give it the whole list each time: a process is looked at once while it stays there. Returns how many messages it sent.
   */
  async sendOn(dead: readonly DeadProcess[], onProblem: (streamId: string, error: unknown) => void): Promise<number> {
    const fresh = dead.filter(({ processId }) => !this.seenDead.has(processId));
    this.seenDead = new Set(dead.map(({ processId }) => processId));
    const streams = new Set(fresh.flatMap(({ holds }) => holds.map((holding) => holding.split('/', 1)[0]!)));
    let sent = 0;
    for (const streamId of streams) {
      try {
        sent += (await this.mend(streamId)).sent;
      } catch (error) {
        onProblem(streamId, error);
      }
    }
    return sent;
  }

  /** `wait` is undefined where something is due, or may become due without an event or a timer. */
  private async mend(
    streamId: string,
  ): Promise<{ readonly sent: number; readonly wait?: Pick<Waiting, 'until' | 'awaitsSlot'> }> {
    const name = parseStreamName(streamId);
    if (!name) return { sent: 0, wait: { until: Infinity, awaitsSlot: false } };
    if (name.kind === 'job') {
      const wait = await this.parts.driver.advance(name.jobId);
      if (!wait) return { sent: 0 };
      const { timerInMs, awaitsSlot } = wait;
      const until = timerInMs === undefined ? Infinity : this.now() + Math.max(0, timerInMs) + TIMER_LATE_MS;
      return { sent: 0, wait: { until, awaitsSlot } };
    }
    const state = await this.parts.histories.phase(name.jobId, name.phase);
    if (!state) return { sent: 0 };
    faultPoint('reconciler.before-send', name.jobId);
    const sent = await dispatchDue(state, this.parts);
    // It waits for a person or for its job, and both are events. Of a call that a worker holds nothing tells when the worker dies.
    const waits = state.paused !== undefined || ['nothing', 'paused', 'approval'].includes(dueWork(state).kind);
    return { sent, ...(waits ? { wait: { until: Infinity, awaitsSlot: false } } : {}) };
  }
}

/** A job is decided by its own stream and those of its open phases. */
function versionsOf({ streamId, correlationId, version }: StreamHead, openPhases: ReadonlyMap<string, string>): string {
  return parseStreamName(streamId)?.kind === 'job'
    ? `${version}${openPhases.get(correlationId) ?? ''}`
    : String(version);
}
