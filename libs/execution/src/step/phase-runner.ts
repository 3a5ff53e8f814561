import { sleepUntilAborted } from '@phaseline/basics';
import { buildPhaseFailed, buildToolMessage, dueWork, phaseStream, type PhaseState } from '@phaseline/domain';
import type { Sender, ProcessId, JobId, StreamId } from '@phaseline/contracts';
import { DuplicateEventId, StreamClosed, WrongExpectedVersion } from '@phaseline/event-store';
import { faultPoint } from '@phaseline/fault-points';
import { isOutage, ModelError } from '@phaseline/model';
import type { EventOrigin, JobRepository } from '@phaseline/repository';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { appendCallEnd } from '../call/append-call-end.js';
import { findOpenCall } from '../call/call-request.js';
import type { HandedEnd } from '../call/handed-end.js';
import { RecentEvents } from '../call/newer-events.js';
import type { RunOutcome } from '../consume.js';
import type { Clock, FoundModel, HeldLeases, Leases, LiveAnswers, ModelCatalogue } from '../ports.js';
import { RunningWork } from '../running-work.js';
import { openSource } from '../source/open-source.js';
import { closeOpenCalls } from './close-open-calls.js';
import { OutageWatch, type Sleep } from './outage-watch.js';
import { PendingCommit } from './pending-commit.js';
import { pickUpPhase, runStep, TakenOver } from './run-step.js';
import { ServerWaits } from './server-waits.js';

export interface PhaseRunnerParts {
  readonly processId: ProcessId;
  readonly repository: JobRepository;
  readonly blobs: BlobReader;
  readonly models: ModelCatalogue;
  readonly tools: ToolRegistry;
  readonly sender: Sender;
  readonly leases: Leases;
  readonly heldLeases: HeldLeases;
  readonly clock: Clock;
  /** Waits while a model server is unreachable. */
  readonly sleep?: Sleep;
  /** Interval in milliseconds at which an unreachable server is probed; default ten seconds. */
  readonly probeEveryMs?: number;
  /** Shows the answers that models are writing. */
  readonly liveAnswers?: LiveAnswers;
}

export interface PhaseWork {
  readonly jobId: JobId;
  readonly phase: number;
  readonly traceparent?: string | undefined;
  /** The end of a call that a tool-runner handed over. */
  readonly end?: HandedEnd | undefined;
}

/**
 * Runs the step loop: calls the model, commits its answer with everything that follows from it, and repeats until the
 * phase waits for tools or has ended. The domain makes every decision and this class carries it out, so after a worker is
 * killed at any point, every other worker can continue from the log.
 */
export class PhaseRunner {
  private readonly running: RunningWork;
  private readonly waits: ServerWaits;
  private readonly recentEvents = new RecentEvents();
  /** Ends of calls that were handed over and are not in the log yet, by the stream of their phase. */
  private readonly handedEnds = new Map<StreamId, HandedEnd>();

  constructor(private readonly parts: PhaseRunnerParts) {
    this.running = new RunningWork(parts.heldLeases, parts.repository);
    this.waits = new ServerWaits(new OutageWatch(parts.sleep ?? sleepUntilAborted, parts.probeEveryMs));
  }

  /** Runs a phase until this worker can do nothing more for it. Being overtaken by another worker is not an error. */
  async run(work: PhaseWork, signal: AbortSignal): Promise<RunOutcome> {
    const streamId = phaseStream(work.jobId, work.phase);
    if (work.end) this.handedEnds.set(streamId, work.end);
    const outcome = await this.running.run(streamId, work, signal, async (stop, run) => {
      try {
        for (;;) {
          run.isRequestedAgain = false;
          const left = await this.workUntilReleased(work, streamId, stop, signal);
          // The message may refer to an event that the run has not read, for example when a tool ended before its sender
          // learned that the message was sent. An end that was handed over is left when others changed the phase meanwhile.
          const isDue = run.isRequestedAgain || this.handedEnds.has(streamId);
          if (left !== 'released' || !isDue || stop.aborted) return left;
        }
      } finally {
        this.handedEnds.delete(streamId);
      }
    });
    return outcome ?? 'released';
  }

  /**
   * Stops phases that have ended according to the log, and wakes those that wait for their model server but were paused
   * or told to continue: of one job that another process changed, or of all jobs.
   */
  async recheck(jobId?: JobId): Promise<void> {
    await this.running.stopEnded(jobId, (streamId, state) => {
      if (state.paused || !state.modelCall.awaited) this.waits.wake(streamId);
    });
  }

  private async workUntilReleased(
    work: PhaseWork,
    streamId: StreamId,
    stop: AbortSignal,
    shutdown: AbortSignal,
  ): Promise<RunOutcome> {
    try {
      return await this.work(work, streamId, stop);
    } catch (error) {
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed || error instanceof TakenOver)
        return 'released';
      // Another process recorded an end of the call, and continues the phase.
      if (error instanceof DuplicateEventId && this.handedEnds.delete(streamId)) return 'released';
      if (stop.aborted) return shutdown.aborted ? 'interrupted' : 'released';
      throw error;
    }
  }

  private async work(work: PhaseWork, streamId: StreamId, signal: AbortSignal): Promise<RunOutcome> {
    const { repository, leases, processId, blobs, tools, clock, liveAnswers } = this.parts;
    const origin: EventOrigin = {
      actor: { id: processId, kind: 'process' },
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    };
    faultPoint('worker.taken', work.jobId);
    const { state, end } = await this.loadPhase(work, streamId);
    if (!state || state.end) return 'released';
    if (state.paused) {
      if (end) await this.recordEnd(state, end);
      return 'released';
    }
    const { open } = state.modelCall;
    if (open && open.leaseOwner !== processId && (await leases.isLeaseHeld(open.leaseOwner, streamId)))
      return 'owned-elsewhere';
    const source = await openSource(repository.recordings, state);
    const model = await source.findModel(state, () => this.findModel(state.start.terms.model));
    if (model === 'unreachable') {
      if (end) await this.recordEnd(state, end);
      return 'model-unreachable';
    }
    if (!model) {
      const message = `the worker has no model profile named ${state.start.terms.model}; add models/${state.start.terms.model}.yaml`;
      const failed = buildPhaseFailed('definition_missing', message, false);
      await repository.appendToPhase(state, [...closeOpenCalls(state), failed], { origin });
      return 'released';
    }
    const findModel = async (name: string) => {
      const found = await source.findModel(state, () => this.findModel(name));
      return found === 'unreachable' ? undefined : found;
    };
    const ports = { processId, repository, blobs, tools, clock, ...(liveAnswers ? { liveAnswers } : {}) };
    const { budgets } = repository;
    const { waits, recentEvents } = this;
    const parts = { ...ports, source, model, findModel, origin, budgets, waits, recentEvents };
    let committed = await pickUpPhase(state, parts, end);
    this.handedEnds.delete(streamId);
    for (;;) {
      const due = dueWork(committed.state);
      if (due.kind === 'tools') await this.sendTools(committed.state);
      // In all other cases the phase waits for tools or a person, or has ended.
      if (due.kind !== 'answer') return 'released';
      // Two workers that catch up on the same calls append the same events; only one of them then holds the call.
      if (due.call.leaseOwner !== processId) return 'owned-elsewhere';
      const next = await runStep(committed, parts, signal);
      if (!next) return 'released';
      committed = next;
    }
  }

  /** Loads a phase, and the end that was handed over, if its call is still open. */
  private async loadPhase(
    { jobId, phase }: PhaseWork,
    streamId: StreamId,
  ): Promise<{ readonly state: PhaseState | undefined; readonly end?: HandedEnd }> {
    const { repository } = this.parts;
    const end = this.handedEnds.get(streamId);
    // The append fails if the state of this process is too old. The run is then repeated without it.
    const known = end && repository.advancePhase(jobId, phase, end.version, []);
    const state = known ?? (await repository.loadPhase(jobId, phase));
    if (end && state && findOpenCall(state, { jobId, phase, ...end })) return { state, end };
    this.handedEnds.delete(streamId);
    return { state };
  }

  /** Appends the end of a call to a phase that cannot continue now. */
  private async recordEnd(state: PhaseState, end: HandedEnd): Promise<void> {
    const { blobs, clock } = this.parts;
    const { jobId, phase } = state.start.identity;
    const adopt = async (commit: PendingCommit): Promise<void> => commit.adopt(end);
    const commit = new PendingCommit(state, blobs, clock.now());
    await adopt(commit);
    await appendCallEnd(commit, { jobId, phase, ...end }, adopt, end.origin, this.parts);
    this.handedEnds.delete(phaseStream(jobId, phase));
  }

  /** Returns the model, or `away` when its server has to report the limits of the model but does not respond. */
  private async findModel(name: string): Promise<FoundModel> {
    try {
      return await this.parts.models.find(name);
    } catch (error) {
      if (error instanceof ModelError && isOutage(error)) return 'unreachable';
      throw error;
    }
  }

  private async sendTools(state: PhaseState): Promise<void> {
    const due = dueWork(state);
    if (due.kind !== 'tools') return;
    const { jobId, phase } = state.start.identity;
    faultPoint('worker.before-send', jobId);
    const enclosed = this.recentEvents.enclose(phaseStream(jobId, phase), state);
    await Promise.all(
      due.calls.map((call) => {
        const { queue, payload } = buildToolMessage(state, call.callId, this.parts.processId);
        return this.parts.sender.send(queue, payload, { handOver: { enclosed } });
      }),
    );
    faultPoint('worker.after-send', jobId);
  }
}
