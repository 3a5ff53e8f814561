import type { CallId, JobId, ProcessId } from '@phaseline/contracts';
import {
  buildPhaseMessage,
  dueWork,
  isAwaitingApproval,
  isSystemCall,
  listOpenSystemCalls,
  phaseStream,
  type PhaseState,
} from '@phaseline/domain';
import { StreamClosed } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import type { EventOrigin } from '@phaseline/repository';
import type { RunOutcome } from '../consume.js';
import type { RecordCallEnd } from '../ports.js';
import { RunningWork } from '../running-work.js';
import { recordEndedCall } from '../guards/decide-ended-call.js';
import { openSource } from '../source/open-source.js';
import { PendingCommit } from '../step/pending-commit.js';
import { appendCallEnd } from './append-call-end.js';
import { findOpenCall } from './call-request.js';
import { encloseEnd, mayHandOver } from './handed-end.js';
import { runRemoteTool } from './run-remote-tool.js';
import type { NewerEvents } from './newer-events.js';
import type { ToolRunnerParts, ToolWork } from './tool-runner-parts.js';

/**
 * Executes remote calls: checks that the call is still open, gets its result from the source of the phase, records the first result, and
 * wakes the phase when no other call is outstanding. Files that a tool changed are committed with its result or not at all. The result of
 * a call that may run again is handed over to the worker of the phase, which records it together with what follows from it.
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
    for (let { newer } = work; ; newer = undefined) {
      const state = await this.loadPhase(work, newer);
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

  /** Loads a phase, from the events that its worker enclosed if this process holds the state before them. */
  private async loadPhase({ jobId, phase }: ToolWork, newer: NewerEvents | undefined): Promise<PhaseState | undefined> {
    const { repository } = this.parts;
    const known = newer && repository.advancePhase(jobId, phase, newer.version, newer.events);
    return known ?? repository.loadPhase(jobId, phase);
  }

  /** Hands the end of a call over to the worker of the phase, or else appends it and wakes the phase if it can continue. */
  private async record(from: PhaseState, work: ToolWork, recordEnd: RecordCallEnd, origin: EventOrigin): Promise<void> {
    const commit = new PendingCommit(from, this.parts.blobs, this.parts.clock.now());
    await recordEnd(commit);
    const append = async (): Promise<void> => {
      const state = await appendCallEnd(commit, work, recordEnd, origin, this.parts);
      faultPoint('tool.before-wake', work.jobId);
      if (state) await this.continuePhase(state, work);
      faultPoint('tool.after-wake', work.jobId);
    };
    if (!(await this.handOver(commit, work, append))) await append();
  }

  /** Hands the end of a call over if the worker can continue the phase with it; returns whether it was offered. */
  private async handOver(commit: PendingCommit, work: ToolWork, append: () => Promise<void>): Promise<boolean> {
    const { sender, callEnds, processId } = this.parts;
    const { worker: to } = work;
    if (!sender.handOver || to === undefined || !mayHandOver(commit, work) || callEnds?.concerns(commit.base))
      return false;
    if (!isForWorker.has(dueWork(commit.state).kind)) return false;
    const { queue, payload } = buildPhaseMessage(commit.state);
    const enclosed = encloseEnd(commit, work, processId, work.traceparent);
    // What cannot be appended is lost, and the reconciler sends the call again. A phase that has ended needs no result.
    const otherwise = (): Promise<void> =>
      append().catch((error: unknown) => {
        if (!(error instanceof StreamClosed)) throw error;
      });
    const isOffered = await sender.handOver(queue, payload, { to, enclosed, otherwise });
    if (isOffered) faultPoint('tool.handed-over', work.jobId);
    return isOffered;
  }

  private async continuePhase(state: PhaseState, { callId, worker }: ToolWork): Promise<void> {
    const { callEnds } = this.parts;
    if (callEnds?.concerns(state)) await callEnds.record(state, callId);
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
