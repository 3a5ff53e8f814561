import type { Prompt } from '@phaseline/context';
import {
  admitCall,
  dueWork,
  buildPhaseFailed,
  loadNamedTools,
  canAwaitModel,
  parseStreamName,
  phaseStream,
  buildToolMessage,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { type ChatAnswer } from '@phaseline/contracts';
import { WrongExpectedVersion, StreamClosed } from '@phaseline/event-store';
import { faultPoint, areFaultPointsArmed } from '@phaseline/fault-points';
import type { EventOrigin, JobRepository } from '@phaseline/repository';
import { isOutage, canRetry, ModelError, type CompleteOptions } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { buildModelResponded, buildNextPrompt, rebuildSummary, buildConversationSummarised } from './call-model.js';
import { PendingCommit } from './pending-commit.js';
import type { Clock, ConfiguredModel, HeldLeases, Leases, ModelCatalogue, Sender } from '../ports.js';
import { findSubstituteAnswer, findRecordedModel } from '../source/replay.js';
import {
  MAX_ANSWERED_OTHERS,
  MAX_EARLY_ATTEMPTS,
  OutageWatch,
  computePauseMs,
  sleepUntilAborted,
  type Outage,
  type Sleep,
} from './outage-watch.js';
import {
  startAwaitingServer,
  failAfterError,
  failAfterOutage,
  reserveNextCall,
  reserveRetry,
  completeStep,
} from './complete-step.js';

export interface PhaseRunnerParts {
  readonly processId: string;
  readonly histories: JobRepository;
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
}

export interface PhaseWork {
  readonly jobId: string;
  readonly phase: number;
  readonly traceparent?: string | undefined;
}

/**
 * How a run left a phase: `released`, with nothing more to do for now; `held-elsewhere`, when another process holds it
 * (check again later); `interrupted` by shutdown (put it back on the queue); or `model-away`, when the model server
 * cannot even report its limits (check again in a while).
 */
export type RunOutcome = 'released' | 'held-elsewhere' | 'interrupted' | 'model-away';

/** Builds the event of the model's answer, to either a normal call or one that summarises the conversation. */
function answerEvent(state: PhaseState, answer: ChatAnswer, model: ConfiguredModel, durationMs: number): PhaseEvent {
  return state.openModelCall?.purpose === 'summary'
    ? buildConversationSummarised(state, rebuildSummary(state, model), answer, model, durationMs)
    : buildModelResponded(state, answer, model, durationMs);
}

/** Thrown when another worker has taken the phase over, so that the result of this one is discarded. */
class TakenOver extends Error {}

/** A phase that this worker is running. */
interface RunningPhase {
  readonly abort: AbortController;
  /** Whether a message for the phase came during the run. The phase is then read again before it is released. */
  shouldReread: boolean;
}

/** A phase as committed, with the prompt of the call it now waits for, if known. */
interface Committed {
  readonly state: PhaseState;
  readonly prompt: Prompt | undefined;
  /** The failed attempt that precedes this call. */
  readonly after?: ModelError;
  /** Set when the server is unreachable: the next attempt waits first. */
  readonly outage?: Outage & { readonly error: ModelError };
}

/**
 * Runs the step loop: calls the model, commits its answer with everything that follows from it, and repeats until the
 * phase waits for tools or has ended. The domain makes every decision and this class carries it out, so a worker that
 * is killed anywhere leaves a log from which any other can continue.
 */
export class PhaseRunner {
  private readonly running = new Map<string, RunningPhase>();
  /** Functions that end the pause of a phase that waits for its model server, by stream. */
  private readonly pauses = new Map<string, () => void>();
  private readonly outages: OutageWatch;

  constructor(private readonly parts: PhaseRunnerParts) {
    this.outages = new OutageWatch(parts.sleep ?? sleepUntilAborted, parts.probeEveryMs);
  }

  /** Runs a phase until this worker can do nothing more for it. Being overtaken by another worker is not an error. */
  async run(work: PhaseWork, signal: AbortSignal): Promise<RunOutcome> {
    const streamId = phaseStream(work.jobId, work.phase);
    const running = this.running.get(streamId);
    if (running) {
      // The message may refer to an event that the run has not read, for example when a tool ended before its sender
      // learned that the message was sent.
      running.shouldReread = true;
      return 'released';
    }
    const abort = new AbortController();
    const stop = AbortSignal.any([signal, abort.signal]);
    const started: RunningPhase = { abort, shouldReread: false };
    this.running.set(streamId, started);
    this.parts.heldLeases.addLease(streamId);
    try {
      for (;;) {
        started.shouldReread = false;
        const outcome = await this.workUntilReleased(work, streamId, stop, signal);
        if (outcome !== 'released' || !started.shouldReread || stop.aborted) return outcome;
      }
    } finally {
      this.running.delete(streamId);
      this.parts.heldLeases.removeLease(streamId);
    }
  }

  private async workUntilReleased(
    work: PhaseWork,
    streamId: string,
    stop: AbortSignal,
    shutdown: AbortSignal,
  ): Promise<RunOutcome> {
    try {
      return await this.work(work, streamId, stop);
    } catch (error) {
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed || error instanceof TakenOver)
        return 'released';
      if (stop.aborted) return shutdown.aborted ? 'interrupted' : 'released';
      throw error;
    }
  }

  /**
   * Stops phases that have ended according to the log, and wakes those that wait for their model server but were paused
   * or told to continue: of one job that was changed from outside, or of all.
   */
  async recheck(jobId?: string): Promise<void> {
    for (const [streamId, { abort }] of this.running) {
      const name = parseStreamName(streamId);
      if (name?.kind !== 'phase' || (jobId !== undefined && name.jobId !== jobId)) continue;
      const state = await this.parts.histories.loadPhase(name.jobId, name.phase);
      if (state?.end) abort.abort();
      else if (state && (state.paused || !state.awaitedModel)) this.pauses.get(streamId)?.();
    }
  }

  private async work(work: PhaseWork, streamId: string, signal: AbortSignal): Promise<RunOutcome> {
    const { histories, leases, processId } = this.parts;
    const origin: EventOrigin = {
      actor: processId,
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    };
    faultPoint('worker.taken', work.jobId);
    const state = await histories.loadPhase(work.jobId, work.phase);
    if (!state || state.end || state.paused) return 'released';
    const { openModelCall } = state;
    if (
      openModelCall &&
      openModelCall.holder !== processId &&
      (await leases.isLeaseHeld(openModelCall.holder, streamId))
    )
      return 'held-elsewhere';
    const model = (await findRecordedModel(histories, state)) ?? (await this.findModel(state.start.model));
    if (model === 'away') return 'model-away';
    if (!model) {
      const message = `the worker has no model profile named ${state.start.model}; add models/${state.start.model}.yaml`;
      await histories.appendToPhase(state, [buildPhaseFailed('definition_missing', message, false)], { origin });
      return 'released';
    }
    let committed: Committed = await this.pickUp(state, model, origin);
    for (;;) {
      const due = dueWork(committed.state);
      if (due.kind === 'tools') await this.sendTools(committed.state);
      // Everything else is up to tools, a person, or the end of the phase.
      if (due.kind !== 'answer') return 'released';
      // Two workers that catch up on the same calls append the same events; only one of them then holds the call.
      if (due.call.holder !== processId) return 'held-elsewhere';
      const next = await this.step(committed, model, origin, signal);
      if (!next) return 'released';
      committed = next;
    }
  }

  /**
   * Brings a phase to the point where the model is called: takes over a call that its lease owner left, runs pending
   * inline calls, and advances the phase when its tools have ended.
   */
  private async pickUp(state: PhaseState, model: ConfiguredModel, origin: EventOrigin): Promise<Committed> {
    const draft = new PendingCommit(state, this.parts.blobs);
    const { openModelCall } = state;
    if (openModelCall) {
      const { processId } = this.parts;
      if (state.takeovers >= state.start.limits.takeovers) {
        const message = `${state.takeovers + 1} workers in a row were lost during the same model call`;
        draft.record(buildPhaseFailed('worker_lost', message, true));
        return this.commit(draft, origin);
      }
      draft.record({
        type: 'PhaseResumed',
        data: { epoch: state.epoch + 1, holder: processId, previousHolder: openModelCall.holder },
      });
      await reserveNextCall(draft, model, this.parts);
    } else {
      await completeStep(draft, model, this.parts);
    }
    faultPoint('worker.before-pickup', state.start.jobId);
    return this.commit(draft, origin);
  }

  /**
   * Runs one step: one attempt at a model call, and one commit with everything that follows from the answer. Returns
   * `undefined` when the phase is released without a commit.
   */
  private async step(
    committed: Committed,
    model: ConfiguredModel,
    origin: EventOrigin,
    signal: AbortSignal,
  ): Promise<Committed | undefined> {
    const { prompt, after } = committed;
    const outage = committed.outage && (await this.waitForServer(committed.state, committed.outage, model, signal));
    const state = outage ? await this.afterConflict(committed.state) : committed.state;
    // The phase was paused meanwhile. Leave the call open, as if this worker had died, for the worker that continues
    // it.
    if (outage && state.paused) return undefined;
    const { jobId } = state.start;
    const onDelta = areFaultPointsArmed ? () => faultPoint('worker.during-model-call', jobId) : undefined;
    faultPoint('worker.before-model-call', jobId);
    const started = this.parts.clock.now().getTime();
    const answer =
      findSubstituteAnswer(state, model) ??
      (await this.callModel(state, prompt, model, { signal, onDelta, previousFailure: after }));
    const durationMs = this.parts.clock.now().getTime() - started;
    if (!(answer instanceof ModelError)) this.outages.wakeWaiting(model.profile.name);
    for (let base = state; ; base = await this.afterConflict(base)) {
      const draft = new PendingCommit(base, this.parts.blobs);
      // A worker that takes over a waiting call makes no retries in addition to the wait, because each may be charged.
      const isWaiting = outage !== undefined || base.awaitedModel !== undefined;
      const shouldRetry = answer instanceof ModelError && !isWaiting && canRetry(answer, model.profile.retries);
      const isServerDown = answer instanceof ModelError && !shouldRetry && isServerAway(answer, outage);
      const shouldWait = isServerDown && canAwaitModel(base, model.profile.retries.waitMs, this.parts.clock.now());
      // A paused phase calls no model. Leave the call open, as if this worker had died, for the worker that continues
      // it.
      if ((shouldRetry || shouldWait) && base.paused) return undefined;
      if (shouldRetry) await reserveRetry(draft, answer, model, this.parts);
      else if (shouldWait) await startAwaitingServer(draft, answer, model, this.parts);
      else if (isServerDown && base.awaitedModel) failAfterOutage(draft, answer, model);
      else if (answer instanceof ModelError) failAfterError(draft, answer, model);
      else if ('type' in answer) await this.recordAnswer(draft, answer, model);
      else await this.recordAnswer(draft, answerEvent(base, answer, model, durationMs), model);
      faultPoint('worker.before-append', jobId);
      try {
        const next = await this.commit(draft, origin);
        if (shouldWait)
          return { ...next, prompt: next.prompt ?? prompt, outage: { ...nextOutage(outage), error: answer } };
        return shouldRetry ? { ...next, after: answer } : next;
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
  }

  /** Waits until the next attempt is due. Throws when the worker should stop. */
  private async waitForServer(
    { start }: PhaseState,
    { error, ...outage }: Outage & { readonly error: ModelError },
    { profile, model }: ConfiguredModel,
    signal: AbortSignal,
  ): Promise<Outage> {
    const streamId = phaseStream(start.jobId, start.phase);
    const woken = await this.outages
      .pause(profile.name, model, {
        delayMs: computePauseMs(outage, error, start.jobId),
        signal,
        isDeaf: error.mayBeCharged && outage.probes + outage.answeredOthers >= MAX_EARLY_ATTEMPTS,
        register: (wake) => this.pauses.set(streamId, wake),
      })
      .finally(() => this.pauses.delete(streamId));
    signal.throwIfAborted();
    return {
      // A person's request restarts the sequence, with short pauses first.
      attempts: woken === 'request' ? 0 : outage.attempts,
      answeredOthers: outage.answeredOthers + (woken === 'answer' ? 1 : 0),
      probes: outage.probes + (woken === 'probe' ? 1 : 0),
    };
  }

  /** Returns the model, or `away` when its server has to report the limits of the model and does not answer. */
  private async findModel(name: string): Promise<ConfiguredModel | 'away' | undefined> {
    try {
      return await this.parts.models.find(name);
    } catch (error) {
      if (error instanceof ModelError && isOutage(error)) return 'away';
      throw error;
    }
  }

  private async callModel(
    state: PhaseState,
    prompt: Prompt | undefined,
    model: ConfiguredModel,
    options: CompleteOptions,
  ): Promise<ChatAnswer | ModelError> {
    const { request, ledger } = prompt ?? (await this.rebuildPrompt(state, model));
    return model.model.complete(request, { ...options, inputTokens: ledger.total }).catch((error: unknown) => {
      options.signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      return error;
    });
  }

  /** Rebuilds the prompt of the open call. */
  private rebuildPrompt(state: PhaseState, model: ConfiguredModel): Prompt | Promise<Prompt> {
    if (state.openModelCall?.purpose === 'summary') return rebuildSummary(state, model).prompt;
    return buildNextPrompt(new PendingCommit(state, this.parts.blobs), this.parts.tools, model);
  }

  /** Records an answer and the outcome of its calls, then runs everything that can be run at once. */
  private async recordAnswer(draft: PendingCommit, fact: PhaseEvent, model: ConfiguredModel): Promise<void> {
    draft.record(fact);
    if (fact.type === 'ModelResponded') {
      const now = this.parts.clock.now();
      const tools = this.parts.tools.forPhase(draft.state);
      const before = draft.events.length;
      fact.data.calls.forEach((_call, index) => draft.record(admitCall(draft.state, fact.data, index, tools, now)));
      draft.record(...loadNamedTools(draft.state, draft.events.slice(before)));
    }
    await completeStep(draft, model, this.parts);
  }

  /**
   * Reads the phase again after another process appended to it. A person who steered or paused it leaves the open call
   * in place, so its answer is not lost. A worker that took the call over does not, and this one then stops.
   */
  private async afterConflict(before: PhaseState): Promise<PhaseState> {
    const { jobId, phase } = before.start;
    const current = await this.parts.histories.loadPhase(jobId, phase);
    const open = current?.openModelCall;
    const ownCall = before.openModelCall;
    if (!current || open?.holder !== ownCall?.holder || open?.epoch !== ownCall?.epoch || open?.step !== ownCall?.step)
      throw new TakenOver();
    return current;
  }

  private async commit(draft: PendingCommit, origin: EventOrigin): Promise<Committed> {
    const { base, events, blobs, prompt } = draft;
    const state =
      events.length === 0 ? base : await this.parts.histories.appendToPhase(base, events, { origin, blobs });
    return { state, prompt };
  }

  private async sendTools(state: PhaseState): Promise<void> {
    const due = dueWork(state);
    if (due.kind !== 'tools') return;
    faultPoint('worker.before-send', state.start.jobId);
    await Promise.all(
      due.calls.map((call) => {
        const { queue, payload, options } = buildToolMessage(state, call.callId);
        return this.parts.sender.send(queue, payload, options);
      }),
    );
    faultPoint('worker.after-send', state.start.jobId);
  }
}

/** Returns whether the server itself failed, so that the call can wait for it. */
function isServerAway(error: ModelError, outage: Outage | undefined): boolean {
  if (!isOutage(error)) return false;
  return !error.mayBeCharged || (outage?.answeredOthers ?? 0) < MAX_ANSWERED_OTHERS;
}

function nextOutage(outage: Outage | undefined): Outage {
  return outage ? { ...outage, attempts: outage.attempts + 1 } : { attempts: 0, answeredOthers: 0, probes: 0 };
}
