import {
  isAwaitingApproval,
  dueWork,
  hasCallEnded,
  buildPhaseMessage,
  phaseStream,
  type CallState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { DuplicateEventId, StreamClosed, WrongExpectedVersion, type BlobWrite } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { deriveEventId, type EventOrigin, type JobRepository } from '@phaseline/repository';
import { ToolError } from '@phaseline/contracts';
import { createYielder } from '@phaseline/basics';
import { type ToolRegistry } from '@phaseline/tools';
import { getJobBlobs, precomputeHash, InvalidPath, StagedWorkspace, type BlobReader } from '@phaseline/workspace';
import { attemptTool, type AttemptLimits, type ToolResult } from './attempt-tool.js';
import { decideAsRecorded, decideCompleted, decideFailed, type DecideEnd } from './call-end.js';
import type { HeldLeases, Leases, Sender } from '../ports.js';
import type { Timers } from '../timers.js';

export interface ToolRunnerParts {
  readonly processId: string;
  readonly histories: JobRepository;
  readonly blobs: BlobReader;
  readonly tools: ToolRegistry;
  readonly sender: Sender;
  readonly leases: Leases;
  readonly heldLeases: HeldLeases;
  readonly limits: AttemptLimits;
  /** Default: the real clock. */
  readonly timers?: Timers;
}

export interface ToolWork {
  readonly jobId: string;
  readonly phase: number;
  readonly callId: string;
  readonly epoch: number;
  readonly traceparent?: string | undefined;
}

/**
 * How a run left a call: settled in the log, held by a living process (check again later), or returned to the queue at
 * shutdown.
 */
export type CallRunOutcome = 'settled' | 'held-elsewhere' | 'interrupted';

/** Number of processes that may die while running a call before the call is given up. */
const MAX_DEATHS = 4;

/**
 * Executes remote calls: checks in the log that the call is still open, runs it, records the first result, and wakes
 * the phase when no other call is outstanding. Files that a tool changed are committed with its result or not at all.
 */
export class ToolRunner {
  private readonly running = new Map<
    string,
    { readonly jobId: string; readonly phase: number; readonly abort: AbortController }
  >();

  constructor(private readonly parts: ToolRunnerParts) {}

  /** Runs one call. `deaths` is the number of processes that died while they had its message. */
  async run(work: ToolWork, signal: AbortSignal, deaths = 0): Promise<CallRunOutcome> {
    const lease = `${phaseStream(work.jobId, work.phase)}/${work.callId}`;
    if (this.running.has(lease)) return 'settled';
    const abort = new AbortController();
    this.running.set(lease, { jobId: work.jobId, phase: work.phase, abort });
    this.parts.heldLeases.addLease(lease);
    try {
      return await this.work(work, lease, AbortSignal.any([signal, abort.signal]), deaths);
    } catch (error) {
      if (error instanceof StreamClosed) return 'settled';
      if (abort.signal.aborted) return 'settled';
      if (signal.aborted) return 'interrupted';
      throw error;
    } finally {
      this.running.delete(lease);
      this.parts.heldLeases.removeLease(lease);
    }
  }

  /** Stops calls whose phase has ended according to the log: of one job that was changed from outside, or of all. */
  async recheck(jobId?: string): Promise<void> {
    for (const call of this.running.values()) {
      if (jobId !== undefined && call.jobId !== jobId) continue;
      const state = await this.parts.histories.loadPhase(call.jobId, call.phase);
      if (state?.end) call.abort.abort();
    }
  }

  private async work(work: ToolWork, lease: string, signal: AbortSignal, deaths: number): Promise<CallRunOutcome> {
    const origin: EventOrigin = {
      actor: this.parts.processId,
      causationId: work.callId,
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    };
    faultPoint('tool.taken', lease);
    let state = await this.parts.histories.loadPhase(work.jobId, work.phase);
    let call = state && findOpenCall(state, work);
    if (!state) return 'settled';
    if (!call) {
      await this.wakeIfDue(state);
      return 'settled';
    }
    // The message is sent again when the phase continues, or when the call is approved.
    if (isAwaitingApproval(call) || (state.paused && call.status === 'requested')) return 'settled';
    const recorded = await this.parts.histories.recordings.findResult(state, call);
    if (recorded) {
      await this.record(state, work, decideAsRecorded(recorded.end, recorded.facts), origin);
      return 'settled';
    }
    if (call.status === 'started') {
      if (call.holder !== this.parts.processId && (await this.parts.leases.isLeaseHeld(call.holder!, lease)))
        return 'held-elsewhere';
      const message = `${call.name} was started and its process died. Whether it took effect is unknown: check before you call it again.`;
      const failure = { code: 'outcome_unknown', message, attempts: 1, durationMs: 0 };
      await this.record(state, work, decideFailed(call, failure, state.start), origin);
      return 'settled';
    }
    if (deaths >= MAX_DEATHS) {
      const message = `${call.name} was given up: the process that ran it died ${deaths} times.`;
      const failure = { code: 'crashed_runner', message, attempts: deaths, durationMs: 0 };
      await this.record(state, work, decideFailed(call, failure, state.start), origin);
      return 'settled';
    }
    if (call.effect === 'once') {
      faultPoint('tool.before-start', lease);
      const started = await this.start(state, call, origin);
      if (!started) return this.work(work, lease, signal, deaths);
      state = started;
      call = state.calls[call.callId]!;
      faultPoint('tool.after-start', lease);
    }
    const workspace = new StagedWorkspace(state.tree, getJobBlobs(this.parts.blobs, work.jobId));
    const result = await attemptTool(
      this.parts.tools,
      call,
      { jobId: work.jobId, workspace, kind: state.start.kind, settings: state.start.settings ?? {} },
      signal,
      this.parts.limits,
      this.parts.timers,
    );
    signal.throwIfAborted();
    faultPoint('tool.before-append', lease);
    await this.settle(state, work, call, result, origin);
    return 'settled';
  }

  /** Records that a call which must not run twice is about to run; `undefined` when the phase changed meanwhile. */
  private async start(state: PhaseState, call: CallState, origin: EventOrigin): Promise<PhaseState | undefined> {
    const event: PhaseEvent = {
      type: 'ToolCallStarted',
      data: { callId: call.callId, holder: this.parts.processId },
    };
    try {
      return await this.parts.histories.appendToPhase(state, [event], { origin });
    } catch (error) {
      if (error instanceof WrongExpectedVersion) return undefined;
      throw error;
    }
  }

  private async settle(
    state: PhaseState,
    work: ToolWork,
    call: CallState,
    result: ToolResult,
    origin: EventOrigin,
  ): Promise<void> {
    if (!result.ok) {
      await this.record(state, work, decideFailed(call, result, state.start), origin);
      return;
    }
    try {
      const tool = this.parts.tools.get(call.name);
      await this.record(state, work, decideCompleted(call, result, state.start, tool), origin);
    } catch (error) {
      if (!(error instanceof InvalidPath || error instanceof ToolError)) throw error;
      const { code, message } = error;
      const { attempts, durationMs } = result;
      await this.record(state, work, decideFailed(call, { code, message, attempts, durationMs }, state.start), origin);
    }
  }

  /**
   * Appends the end of a call unless it already has one. When neighbouring calls end at the same time, the version
   * changes and the call is checked again, so a result is recorded only while its call is open.
   */
  private async record(from: PhaseState, work: ToolWork, decide: DecideEnd, origin: EventOrigin): Promise<void> {
    let state = from;
    for (;;) {
      const staged = new StagedWorkspace(state.tree, getJobBlobs(this.parts.blobs, work.jobId));
      const { event, files } = await decide(staged);
      const yieldOften = createYielder();
      for (const file of files) if ('content' in file) await precomputeHash(file.content, yieldOften);
      const { facts, blobs } = staged.stage(files, work.callId);
      const events = [...facts, event];
      const eventIds = {
        [events.length - 1]: deriveEventId(`${phaseStream(work.jobId, work.phase)}/${work.callId}/end`),
      };
      try {
        state = await this.append(state, events, blobs, eventIds, origin);
        break;
      } catch (error) {
        // The end of a call has a fixed event id, so a process that recorded one first also shows as a duplicate id.
        if (!(error instanceof WrongExpectedVersion || error instanceof DuplicateEventId)) throw error;
        const current = await this.parts.histories.loadPhase(work.jobId, work.phase);
        if (error instanceof DuplicateEventId && current && findOpenCall(current, work)) throw error;
        if (!current || !findOpenCall(current, work)) {
          if (current) await this.wakeIfDue(current);
          return;
        }
        state = current;
      }
    }
    faultPoint('tool.before-wake', work.jobId);
    await this.wakeIfDue(state);
    faultPoint('tool.after-wake', work.jobId);
  }

  private append(
    state: PhaseState,
    events: readonly PhaseEvent[],
    blobs: readonly BlobWrite[],
    eventIds: Record<number, string>,
    origin: EventOrigin,
  ): Promise<PhaseState> {
    return this.parts.histories.appendToPhase(state, events, { origin, blobs, eventIds });
  }

  /** Sends the phase back to its worker once none of its calls is outstanding. */
  private async wakeIfDue(state: PhaseState): Promise<void> {
    const due = dueWork(state);
    if (due.kind !== 'advance' && due.kind !== 'log-call') return;
    const { queue, payload, options } = buildPhaseMessage(state);
    await this.parts.sender.send(queue, payload, options);
  }
}

/** Returns the call if the log still waits for it and the message is not older than a take-over. */
function findOpenCall(state: PhaseState, work: ToolWork): CallState | undefined {
  const call = state.calls[work.callId];
  return call && !state.end && !hasCallEnded(call) && work.epoch >= state.epoch ? call : undefined;
}
