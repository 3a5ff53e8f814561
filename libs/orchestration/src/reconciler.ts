import { parseStreamName } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
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

/**
 * Rebuilds every due message from the log. Queues may lose anything: a message that was never sent because a process
 * died in between, or all of them with a flushed Redis. What is due follows from the streams alone, and a message that
 * is still queued is recognised by its id, so a pass too many does no harm.
 */
export class Reconciler {
  private seenDead: ReadonlySet<string> = new Set();

  private readonly slots: SlotReconciler | undefined;

  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions,
  ) {
    const { admission } = parts;
    this.slots = admission && new SlotReconciler({ ...parts, admission });
  }

  /**
   * Looks once at every open stream that is idle and not to be skipped. A stream that cannot be read is reported and does not
   * stop the others.
   */
  async pass(
    onProblem: (streamId: string, error: unknown) => void,
    skips: (streamId: string) => boolean = () => false,
  ): Promise<ReconcilerPass> {
    let streams = 0;
    let sent = 0;
    let after: string | undefined;
    const waiting = await this.slots?.pass(onProblem);
    for (;;) {
      const page = await this.parts.store.openStreams({
        idleForMs: this.options.idleForMs,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const { streamId, correlationId, updatedAt } of page) {
        if (skips(streamId)) continue;
        // Of a thousand jobs that wait for their first slot none has anything to decide.
        const since = waiting?.get(correlationId);
        if (since !== undefined && since > updatedAt) continue;
        try {
          sent += await this.mend(streamId);
        } catch (error) {
          onProblem(streamId, error);
        }
      }
      streams += page.length;
      after = page.at(-1)?.streamId;
      if (page.length < PAGE) return { streams, sent };
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
        sent += await this.mend(streamId);
      } catch (error) {
        onProblem(streamId, error);
      }
    }
    return sent;
  }

  private async mend(streamId: string): Promise<number> {
    const name = parseStreamName(streamId);
    if (!name) return 0;
    if (name.kind === 'job') {
      await this.parts.driver.advance(name.jobId);
      return 0;
    }
    const state = await this.parts.histories.phase(name.jobId, name.phase);
    if (!state) return 0;
    faultPoint('reconciler.before-send', name.jobId);
    return dispatchDue(state, this.parts);
  }
}
