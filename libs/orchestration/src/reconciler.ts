import { dueWork, parseStreamName, phaseMessage, toolMessage, type PhaseState } from '@phaseline/domain';
import type { EventStore } from '@phaseline/event-store';
import type { Histories } from '@phaseline/history';
import type { JobDriver } from './job-driver.js';
import type { Leases, Sender } from './ports.js';

export interface ReconcilerParts {
  readonly store: EventStore;
  readonly histories: Histories;
  readonly driver: JobDriver;
  readonly sender: Sender;
  readonly leases: Leases;
}

export interface ReconcilerOptions {
  /** A stream that nobody has written to for this long, in milliseconds, is looked at. */
  readonly idleForMs: number;
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
  constructor(
    private readonly parts: ReconcilerParts,
    private readonly options: ReconcilerOptions,
  ) {}

  /** Looks once at every open stream that is idle. A stream that cannot be read is reported and does not stop the others. */
  async pass(onProblem: (streamId: string, error: unknown) => void): Promise<ReconcilerPass> {
    let streams = 0;
    let sent = 0;
    let after: string | undefined;
    for (;;) {
      const page = await this.parts.store.openStreams({
        idleForMs: this.options.idleForMs,
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const { streamId } of page) {
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

  private async mend(streamId: string): Promise<number> {
    const name = parseStreamName(streamId);
    if (!name) return 0;
    if (name.kind === 'job') {
      await this.parts.driver.advance(name.jobId);
      return 0;
    }
    const state = await this.parts.histories.phase(name.jobId, name.phase);
    return state ? this.send(streamId, state) : 0;
  }

  private async send(streamId: string, state: PhaseState): Promise<number> {
    const due = dueWork(state);
    switch (due.kind) {
      case 'nothing':
        return 0;
      case 'tools':
        for (const call of due.calls) {
          const { queue, id, payload } = toolMessage(state, call.callId);
          await this.parts.sender.send(queue, payload, { id });
        }
        return due.calls.length;
      case 'answer':
        if (await this.parts.leases.isHeld(due.call.holder, streamId)) return 0;
        return this.sendPhase(state);
      case 'advance':
      case 'log-call':
        return this.sendPhase(state);
    }
  }

  private async sendPhase(state: PhaseState): Promise<number> {
    const { queue, id, payload } = phaseMessage(state);
    await this.parts.sender.send(queue, payload, { id });
    return 1;
  }
}
