import type { Prompt } from '@phaseline/context';
import {
  admitCall,
  dueWork,
  failure,
  loadedByName,
  mayAwaitModel,
  parseStreamName,
  phaseStream,
  toolMessage,
  type ChatAnswer,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { WrongExpectedVersion, StreamClosed } from '@phaseline/event-store';
import { faultPoint, faultPointsArmed } from '@phaseline/fault-points';
import type { EventOrigin, Histories } from '@phaseline/history';
import { isOutage, mayTryAgain, ModelError, type CompleteOptions } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { answerFact, promptFor, repeatedSummary, summaryFact } from './call-model.js';
import { Draft } from './draft.js';
import type { Clock, ConfiguredModel, Holdings, Leases, ModelCatalogue, Sender } from './ports.js';
import { givenAnswer, recordedModel } from './replay.js';
import {
  MAX_ANSWERED_OTHERS,
  MAX_EARLY_ATTEMPTS,
  OutageWatch,
  pauseMs,
  sleepAwake,
  type Outage,
  type Sleep,
} from './outage-watch.js';
import { awaitServer, giveUp, giveUpWaiting, reserve, reserveAgain, settle } from './settle-step.js';

export interface PhaseRunnerParts {
  readonly processId: string;
  readonly histories: Histories;
  readonly blobs: BlobReader;
  readonly models: ModelCatalogue;
  readonly tools: ToolRegistry;
  readonly sender: Sender;
  readonly leases: Leases;
  readonly holdings: Holdings;
  readonly clock: Clock;
  /** Passes the time while a model server is away. */
  readonly sleep?: Sleep;
  /** How often a server that is away is asked whether it is back; every ten seconds where it is left out. */
  readonly probeEveryMs?: number;
}

export interface PhaseWork {
  readonly jobId: string;
  readonly phase: number;
  readonly traceparent?: string | undefined;
}

/**
 * How a worker left a phase: nothing more to do for it now, somebody else holds it (look again later), it was
 * interrupted by shutdown and must go back to the queue, or its model server cannot even be asked what the model can take (look
 * again in a while).
 */
export type RunOutcome = 'released' | 'held-elsewhere' | 'interrupted' | 'model-away';

/** The model's answer as a fact: to the call that goes on with the work, or to the one that shortens the conversation. */
function factOf(state: PhaseState, answer: ChatAnswer, model: ConfiguredModel, durationMs: number): PhaseEvent {
  return state.openModelCall?.purpose === 'summary'
    ? summaryFact(state, repeatedSummary(state, model), answer, model, durationMs)
    : answerFact(state, answer, model, durationMs);
}

/** Another worker went on with the phase; what this one still has to say is not wanted. */
class TakenOver extends Error {}

/** A phase that this worker works on. */
interface RunningPhase {
  readonly abort: AbortController;
  /** A message for the phase came while it was worked on: the phase is read again before it is let go. */
  isAskedAgain: boolean;
}

/** A phase as the log has it, and the prompt of the call that it now waits for, where it is known. */
interface Committed {
  readonly state: PhaseState;
  readonly prompt: Prompt | undefined;
  /** The failed attempt that this call follows. */
  readonly after?: ModelError;
  /** The server is away: before the next attempt stands a pause. */
  readonly outage?: Outage & { readonly error: ModelError };
}

/**
 * The step loop: calls the model, commits its answer with all that follows from it, and goes on until the phase waits
 * for tools or has ended. Every decision is the domain's; this class only carries them out, so that a worker that is
 * killed anywhere leaves a log from which any other goes on.
 */
export class PhaseRunner {
  private readonly running = new Map<string, RunningPhase>();
  /** What ends the pause of a phase that waits for its model server, by stream. */
  private readonly pauses = new Map<string, () => void>();
  private readonly outages: OutageWatch;

  constructor(private readonly parts: PhaseRunnerParts) {
    this.outages = new OutageWatch(parts.sleep ?? sleepAwake, parts.probeEveryMs);
  }

  /** Works on a phase until it is out of this worker's hands. Being overtaken by another worker is no error. */
  async run(work: PhaseWork, signal: AbortSignal): Promise<RunOutcome> {
    const streamId = phaseStream(work.jobId, work.phase);
    const running = this.running.get(streamId);
    if (running) {
      // The message may tell of something newer than what that run has read, as when a tool ended before its sender was told that it is sent.
      running.isAskedAgain = true;
      return 'released';
    }
    const abort = new AbortController();
    const stop = AbortSignal.any([signal, abort.signal]);
    const started: RunningPhase = { abort, isAskedAgain: false };
    this.running.set(streamId, started);
    this.parts.holdings.add(streamId);
    try {
      for (;;) {
        started.isAskedAgain = false;
        const outcome = await this.workUntilReleased(work, streamId, stop, signal);
        if (outcome !== 'released' || !started.isAskedAgain || stop.aborted) return outcome;
      }
    } finally {
      this.running.delete(streamId);
      this.parts.holdings.remove(streamId);
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
   * Stops work on phases that the log says have ended, and lets those look up that wait for their model server and were paused or
   * told to go on: of one job that was changed from outside, or of any.
   */
  async recheck(jobId?: string): Promise<void> {
    for (const [streamId, { abort }] of this.running) {
      const name = parseStreamName(streamId);
      if (name?.kind !== 'phase' || (jobId !== undefined && name.jobId !== jobId)) continue;
      const state = await this.parts.histories.phase(name.jobId, name.phase);
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
    const state = await histories.phase(work.jobId, work.phase);
    if (!state || state.end || state.paused) return 'released';
    const { openModelCall } = state;
    if (openModelCall && openModelCall.holder !== processId && (await leases.isHeld(openModelCall.holder, streamId)))
      return 'held-elsewhere';
    const model = (await recordedModel(histories, state)) ?? (await this.findModel(state.start.model));
    if (model === 'away') return 'model-away';
    if (!model) {
      const message = `the worker has no model profile named ${state.start.model}; add models/${state.start.model}.yaml`;
      await histories.appendToPhase(state, [failure('definition_missing', message, false)], { origin });
      return 'released';
    }
    let last: Committed = await this.pickUp(state, model, origin);
    for (;;) {
      const due = dueWork(last.state);
      if (due.kind === 'tools') await this.sendTools(last.state);
      // Anything else is out of this worker's hands: tools, a person, or the end.
      if (due.kind !== 'answer') return 'released';
      // Two workers who catch up on the same calls append the same events; only one of them then holds the call.
      if (due.call.holder !== processId) return 'held-elsewhere';
      const next = await this.step(last, model, origin, signal);
      if (!next) return 'released';
      last = next;
    }
  }

  /**
   * Brings a phase to where the model is to be called: takes over a call that its holder left, and catches up on log
   * calls and on the advance that are due when tools have ended.
   */
  private async pickUp(state: PhaseState, model: ConfiguredModel, origin: EventOrigin): Promise<Committed> {
    const draft = new Draft(state, this.parts.blobs);
    const { openModelCall } = state;
    if (openModelCall) {
      const { processId } = this.parts;
      if (state.takeovers >= state.start.limits.takeovers) {
        const message = `${state.takeovers + 1} workers in a row were lost during the same model call`;
        draft.record(failure('worker_lost', message, true));
        return this.commit(draft, origin);
      }
      draft.record({
        type: 'PhaseResumed',
        data: { epoch: state.epoch + 1, holder: processId, previousHolder: openModelCall.holder },
      });
      await reserve(draft, model, this.parts);
    } else {
      await settle(draft, model, this.parts);
    }
    faultPoint('worker.before-pickup', state.start.jobId);
    return this.commit(draft, origin);
  }

  /**
   * One step: one attempt at a model call, and one commit with everything that its answer leads to. `undefined` where the
   * phase is let go of without one.
   */
  private async step(
    last: Committed,
    model: ConfiguredModel,
    origin: EventOrigin,
    signal: AbortSignal,
  ): Promise<Committed | undefined> {
    const { prompt, after } = last;
    const outage = last.outage && (await this.waitForServer(last.state, last.outage, model, signal));
    const state = outage ? await this.afterConflict(last.state) : last.state;
    // Somebody paused it meanwhile: the call is left open, as if this worker had gone, for whoever continues.
    if (outage && state.paused) return undefined;
    const { jobId } = state.start;
    const onDelta = faultPointsArmed ? () => faultPoint('worker.during-model-call', jobId) : undefined;
    faultPoint('worker.before-model-call', jobId);
    const started = this.parts.clock.now().getTime();
    const answer = givenAnswer(state, model) ?? (await this.ask(state, prompt, model, { signal, onDelta, after }));
    const durationMs = this.parts.clock.now().getTime() - started;
    if (!(answer instanceof ModelError)) this.outages.answered(model.profile.name);
    for (let base = state; ; base = await this.afterConflict(base)) {
      const draft = new Draft(base, this.parts.blobs);
      // Whoever takes over a call that waits for its server has no tries beside the wait: each may be charged.
      const isWaiting = outage !== undefined || base.awaitedModel !== undefined;
      const again = answer instanceof ModelError && !isWaiting && mayTryAgain(answer, model.profile.retries);
      const isAway = answer instanceof ModelError && !again && isServerAway(answer, outage);
      const waits = isAway && mayAwaitModel(base, model.profile.retries.waitMs, this.parts.clock.now());
      // A paused phase calls no model: the call is left open, as if this worker had gone, for whoever continues.
      if ((again || waits) && base.paused) return undefined;
      if (again) await reserveAgain(draft, answer, model, this.parts);
      else if (waits) await awaitServer(draft, answer, model, this.parts);
      else if (isAway && base.awaitedModel) giveUpWaiting(draft, answer, model);
      else if (answer instanceof ModelError) giveUp(draft, answer, model);
      else if ('type' in answer) await this.take(draft, answer, model);
      else await this.take(draft, factOf(base, answer, model, durationMs), model);
      faultPoint('worker.before-append', jobId);
      try {
        const committed = await this.commit(draft, origin);
        if (waits)
          return { ...committed, prompt: committed.prompt ?? prompt, outage: { ...nextOutage(outage), error: answer } };
        return again ? { ...committed, after: answer } : committed;
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
  }

  /** Passes the time until the server is to be asked again. Throws where the worker is to stop. */
  private async waitForServer(
    { start }: PhaseState,
    { error, ...outage }: Outage & { readonly error: ModelError },
    { profile, model }: ConfiguredModel,
    signal: AbortSignal,
  ): Promise<Outage> {
    const streamId = phaseStream(start.jobId, start.phase);
    const woken = await this.outages
      .pause(profile.name, model, {
        delayMs: pauseMs(outage, error, start.jobId),
        signal,
        isDeaf: error.mayBeCharged && outage.probes + outage.answeredOthers >= MAX_EARLY_ATTEMPTS,
        register: (wake) => this.pauses.set(streamId, wake),
      })
      .finally(() => this.pauses.delete(streamId));
    signal.throwIfAborted();
    return {
      // A person who asks begins anew, with short pauses first.
      attempts: woken === 'request' ? 0 : outage.attempts,
      answeredOthers: outage.answeredOthers + (woken === 'answer' ? 1 : 0),
      probes: outage.probes + (woken === 'probe' ? 1 : 0),
    };
  }

  /** The model, or `away` where its server has to be asked what it can take and does not answer. */
  private async findModel(name: string): Promise<ConfiguredModel | 'away' | undefined> {
    try {
      return await this.parts.models.find(name);
    } catch (error) {
      if (error instanceof ModelError && isOutage(error)) return 'away';
      throw error;
    }
  }

  private async ask(
    state: PhaseState,
    prompt: Prompt | undefined,
    model: ConfiguredModel,
    options: CompleteOptions,
  ): Promise<ChatAnswer | ModelError> {
    const { request, ledger } = prompt ?? (await this.promptOf(state, model));
    return model.model.complete(request, { ...options, inputTokens: ledger.total }).catch((error: unknown) => {
      options.signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      return error;
    });
  }

  /** The prompt of the call that stands open, made anew. */
  private promptOf(state: PhaseState, model: ConfiguredModel): Prompt | Promise<Prompt> {
    if (state.openModelCall?.purpose === 'summary') return repeatedSummary(state, model).prompt;
    return promptFor(new Draft(state, this.parts.blobs), this.parts.tools, model);
  }

  /** Records an answer with what is made of its calls, and settles what can be settled at once. */
  private async take(draft: Draft, fact: PhaseEvent, model: ConfiguredModel): Promise<void> {
    draft.record(fact);
    if (fact.type === 'ModelResponded') {
      const now = this.parts.clock.now();
      const tools = this.parts.tools.of(draft.state);
      const before = draft.events.length;
      fact.data.calls.forEach((_call, index) => draft.record(admitCall(draft.state, fact.data, index, tools, now)));
      draft.record(...loadedByName(draft.state, draft.events.slice(before)));
    }
    await settle(draft, model, this.parts);
  }

  /**
   * The phase as it stands after somebody else appended to it. A person who steered or paused it leaves the open call in
   * place, and its answer is not lost; a worker that took over does not, and then this one has nothing more to say.
   */
  private async afterConflict(before: PhaseState): Promise<PhaseState> {
    const { jobId, phase } = before.start;
    const now = await this.parts.histories.phase(jobId, phase);
    const open = now?.openModelCall;
    const mine = before.openModelCall;
    if (!now || open?.holder !== mine?.holder || open?.epoch !== mine?.epoch || open?.step !== mine?.step)
      throw new TakenOver();
    return now;
  }

  private async commit(draft: Draft, origin: EventOrigin): Promise<Committed> {
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
        const { queue, payload, options } = toolMessage(state, call.callId);
        return this.parts.sender.send(queue, payload, options);
      }),
    );
    faultPoint('worker.after-send', state.start.jobId);
  }
}

/** Whether the failure is one of the server as such, for which a call can wait. */
function isServerAway(error: ModelError, outage: Outage | undefined): boolean {
  if (!isOutage(error)) return false;
  return !error.mayBeCharged || (outage?.answeredOthers ?? 0) < MAX_ANSWERED_OTHERS;
}

function nextOutage(outage: Outage | undefined): Outage {
  return outage ? { ...outage, attempts: outage.attempts + 1 } : { attempts: 0, answeredOthers: 0, probes: 0 };
}
