import type { CallId, JobId, ProcessId } from '@phaseline/contracts';
import {
  buildPhaseMessage,
  dueWork,
  isAwaitingApproval,
  isOpenCall,
  isSystemCall,
  listOpenSystemCalls,
  phaseStream,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { DuplicateEventId, StreamClosed, WrongExpectedVersion } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { deriveEventId, type EventOrigin } from '@phaseline/repository';
import type { RunOutcome } from '../consume.js';
import type { RecordCallEnd } from '../ports.js';
import { RunningWork } from '../running-work.js';
import { recordEndedCall } from '../guards/decide-ended-call.js';
import { openSource } from '../source/open-source.js';
import { PendingCommit } from '../step/pending-commit.js';
import { runRemoteTool } from './run-remote-tool.js';
import type { ToolRunnerParts, ToolWork } from './tool-runner-parts.js';

/**
 * Executes remote calls: checks in the log that the call is still open, gets its result from the source of the phase,
 * records the first result, and wakes the phase when no other call is outstanding. Files that a tool changed are
 * committed with its result or not at all.
 */
export class ToolRunner {
  private readonly running: RunningWork;

  constructor(private readonly parts: ToolRunnerParts) {
    this.running = new RunningWork(parts.heldLeases, parts.repository);
  }

  /** Runs one call. `deaths` is the number of processes that died while they had its message. */
  async run(work: ToolWork, signal: AbortSignal, deaths = 0): Promise<RunOutcome> {
    const lease = `${phaseStream(work.jobId, work.phase)}/${work.callId}`;
    const outcome = await this.running.run(lease, work, signal, async (stop) => {
      try {
        return await this.work(work, lease, stop, deaths);
      } catch (error) {
        if (error instanceof StreamClosed) return 'released';
        if (stop.aborted) return signal.aborted ? 'interrupted' : 'released';
        throw error;
      }
    });
    return outcome ?? 'released';
  }

  /** Stops calls whose phase has ended according to the log: of one job that was changed from outside, or of all. */
  async recheck(jobId?: JobId): Promise<void> {
    await this.running.stopEnded(jobId);
  }

  private async work(work: ToolWork, lease: string, signal: AbortSignal, deaths: number): Promise<RunOutcome> {
    const { repository, processId } = this.parts;
    const origin: EventOrigin = {
      actor: { id: processId, kind: 'process' },
      causationId: work.callId,
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    };
    faultPoint('tool.taken', lease);
    for (;;) {
      const state = await repository.loadPhase(work.jobId, work.phase);
      if (!state) return 'released';
      const call = findOpenCall(state, work);
      if (!call) {
        await this.continuePhase(state, work);
        return 'released';
      }
      // A new message is sent when the phase continues, or when the call is approved.
      if (
        call.status === 'awaiting-guards' ||
        isAwaitingApproval(call) ||
        (state.paused && call.status === 'requested')
      )
        return 'released';
      const source = await openSource(repository.recordings, state);
      const run = await source.runRemoteCall(state, call, () =>
        runRemoteTool({ state, call, lease, deaths, origin, signal }, this.parts),
      );
      if (run === 'owned-elsewhere') return run;
      if (run === 'phase-changed') continue;
      const recordEnd: RecordCallEnd = async (commit) => {
        await run.recordEnd(commit);
        await recordEndedCall(commit, call.callId, source);
      };
      await this.record(run.state, work, recordEnd, origin);
      return 'released';
    }
  }

  /**
   * Appends the end of a call unless it already has one. When neighbouring calls end at the same time, the version
   * changes and the call is checked again, so a result is recorded only while its call is open.
   */
  private async record(from: PhaseState, work: ToolWork, recordEnd: RecordCallEnd, origin: EventOrigin): Promise<void> {
    const { repository, blobs: reader, clock } = this.parts;
    let state = from;
    for (;;) {
      const commit = new PendingCommit(state, reader, clock.now());
      await recordEnd(commit);
      const { events, blobs } = commit;
      const eventIds = {
        [findEnd(events, work)]: deriveEventId(`${phaseStream(work.jobId, work.phase)}/${work.callId}/end`),
      };
      try {
        state = await repository.appendToPhase(state, events, { origin, blobs, eventIds });
        break;
      } catch (error) {
        // The end of a call has a fixed event id, so a process that recorded one first also shows as a duplicate id.
        if (!(error instanceof WrongExpectedVersion || error instanceof DuplicateEventId)) throw error;
        const current = await repository.loadPhase(work.jobId, work.phase);
        if (error instanceof DuplicateEventId && current && findOpenCall(current, work)) throw error;
        if (!current || !findOpenCall(current, work)) {
          if (current) await this.continuePhase(current, work);
          return;
        }
        state = current;
      }
    }
    faultPoint('tool.before-wake', work.jobId);
    await this.continuePhase(state, work);
    faultPoint('tool.after-wake', work.jobId);
  }

  private async continuePhase(state: PhaseState, { callId, worker }: ToolWork): Promise<void> {
    await this.parts.onCallEnded?.(state, callId);
    await this.wakeIfDue(state, callId, worker);
  }

  /** Sends the phase back to its worker once none of its calls is outstanding, or calls are due that waited for one of the system. */
  private async wakeIfDue(state: PhaseState, callId: CallId, worker: ProcessId | undefined): Promise<void> {
    const due = dueWork(state);
    const ended = state.calls.byId[callId];
    const isOfSystem = ended !== undefined && isSystemCall(ended);
    const waitedForSystem = due.kind === 'tools' && isOfSystem && listOpenSystemCalls(state).length === 0;
    // The end of a call may have to wait for guards, which other calls ask.
    const asksGuards = due.kind === 'tools' && !isOfSystem && due.calls.some(isSystemCall);
    if (!isForWorker.has(due.kind) && !waitedForSystem && !asksGuards) return;
    const { queue, payload, options } = buildPhaseMessage(state);
    const handOver = worker === undefined ? {} : { handOver: { to: worker } };
    await this.parts.sender.send(queue, payload, { ...options, ...handOver });
  }
}

/** Due work that the worker of the phase does. */
const isForWorker: ReadonlySet<ReturnType<typeof dueWork>['kind']> = new Set([
  'advance',
  'inline-call',
  'judge',
  'guards',
]);

/** Returns the call if the log still waits for it and the message is not older than a takeover. */
function findOpenCall(state: PhaseState, work: ToolWork): AdmittedCall | undefined {
  const call = state.calls.byId[work.callId];
  return call && !state.end && isOpenCall(call) && work.epoch >= state.modelCall.epoch ? call : undefined;
}

/** Index of the event that ends the call. Decisions of guards may follow it. */
function findEnd(events: readonly PhaseEvent[], { callId }: ToolWork): number {
  return events.findLastIndex(
    ({ type, data }) => (type === 'ToolCallCompleted' || type === 'ToolCallFailed') && data.callId === callId,
  );
}
