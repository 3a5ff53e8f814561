import { resultsToClear, type Prompt } from '@phaseline/context';
import {
  advancePhase,
  admitCall,
  archivePath,
  dueWork,
  failure,
  needsTodosFile,
  parseStreamName,
  pendingOutcome,
  phaseStream,
  renderArchive,
  TODOS_FILE,
  toolMessage,
  type ChatAnswer,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { WrongExpectedVersion, StreamClosed } from '@phaseline/event-store';
import { faultPoint, faultPointsArmed } from '@phaseline/fault-points';
import type { EventOrigin, Histories, RecordedPhase } from '@phaseline/history';
import { ModelError, type CompleteOptions } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import {
  answerFact,
  modelFailure,
  promptFor,
  repeatedSummary,
  reserveCall,
  summaryFact,
  summaryFor,
} from './call-model.js';
import { Draft } from './draft.js';
import type { Clock, ConfiguredModel, Holdings, Leases, ModelCatalogue, Sender } from './ports.js';
import {
  givenAnswer,
  judgeAsRecorded,
  recordedArchive,
  recordedModel,
  recordedSummaries,
  repeatLogCall,
} from './replay.js';
import { runLogCall } from './run-log-call.js';

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
}

export interface PhaseWork {
  readonly jobId: string;
  readonly phase: number;
  readonly traceparent?: string | undefined;
}

/**
 * How a worker left a phase: nothing more to do for it now, somebody else holds it (look again later), or it was
 * interrupted by shutdown and must go back to the queue.
 */
export type RunOutcome = 'released' | 'held-elsewhere' | 'interrupted';

/** The model's answer as a fact: to the call that goes on with the work, or to the one that shortens the conversation. */
function factOf(state: PhaseState, answer: ChatAnswer, model: ConfiguredModel, durationMs: number): PhaseEvent {
  return state.openModelCall?.purpose === 'summary'
    ? summaryFact(state, repeatedSummary(state, model), answer, model, durationMs)
    : answerFact(state, answer, model, durationMs);
}

/** Another worker went on with the phase; what this one still has to say is not wanted. */
class TakenOver extends Error {}

/** A phase as the log has it, and the prompt of the call that it now waits for, where it is known. */
interface Committed {
  readonly state: PhaseState;
  readonly prompt: Prompt | undefined;
}

/**
 * The step loop: calls the model, commits its answer with all that follows from it, and goes on until the phase waits
 * for tools or has ended. Every decision is the domain's; this class only carries them out, so that a worker that is
 * killed anywhere leaves a log from which any other goes on.
 */
export class PhaseRunner {
  private readonly running = new Map<string, AbortController>();

  constructor(private readonly parts: PhaseRunnerParts) {}

  /** Works on a phase until it is out of this worker's hands. Being overtaken by another worker is no error. */
  async run(work: PhaseWork, signal: AbortSignal): Promise<RunOutcome> {
    const streamId = phaseStream(work.jobId, work.phase);
    // A second message for what runs here already: the running one sees whatever the message meant.
    if (this.running.has(streamId)) return 'released';
    const abort = new AbortController();
    const stop = AbortSignal.any([signal, abort.signal]);
    this.running.set(streamId, abort);
    this.parts.holdings.add(streamId);
    try {
      return await this.work(work, streamId, stop);
    } catch (error) {
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed || error instanceof TakenOver)
        return 'released';
      if (stop.aborted) return signal.aborted ? 'interrupted' : 'released';
      throw error;
    } finally {
      this.running.delete(streamId);
      this.parts.holdings.remove(streamId);
    }
  }

  /** Stops work on phases that the log says have ended: of one job that was changed from outside, or of any. */
  async recheck(jobId?: string): Promise<void> {
    for (const [streamId, abort] of this.running) {
      const name = parseStreamName(streamId);
      if (name?.kind !== 'phase' || (jobId !== undefined && name.jobId !== jobId)) continue;
      const state = await this.parts.histories.phase(name.jobId, name.phase);
      if (state?.end) abort.abort();
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
    const model = (await recordedModel(histories, state)) ?? (await this.parts.models.find(state.start.model));
    if (!model) {
      const message = `the worker has no model profile named ${state.start.model}; add models/${state.start.model}.yaml`;
      await histories.appendToPhase(state, [failure('definition_missing', message, false)], { origin });
      return 'released';
    }
    let last = await this.pickUp(state, model, origin);
    for (;;) {
      const due = dueWork(last.state);
      if (due.kind === 'tools') await this.sendTools(last.state);
      // Anything else is out of this worker's hands: tools, a person, or the end.
      if (due.kind !== 'answer') return 'released';
      last = await this.step(last, model, origin, signal);
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
      await this.reserve(draft, model);
    } else {
      await this.settle(draft, model);
    }
    faultPoint('worker.before-pickup', state.start.jobId);
    return this.commit(draft, origin);
  }

  /** One step: one model call, and one commit with everything that its answer leads to. */
  private async step(
    { state, prompt }: Committed,
    model: ConfiguredModel,
    origin: EventOrigin,
    signal: AbortSignal,
  ): Promise<Committed> {
    const { jobId } = state.start;
    const onDelta = faultPointsArmed ? () => faultPoint('worker.during-model-call', jobId) : undefined;
    faultPoint('worker.before-model-call', jobId);
    const started = this.parts.clock.now().getTime();
    const answer = givenAnswer(state, model) ?? (await this.ask(state, prompt, model, { signal, onDelta }));
    const durationMs = this.parts.clock.now().getTime() - started;
    for (let base = state; ; base = await this.afterConflict(base)) {
      const draft = new Draft(base, this.parts.blobs);
      if (answer instanceof ModelError) draft.record(modelFailure(answer));
      else if ('type' in answer) await this.take(draft, answer, model);
      else await this.take(draft, factOf(base, answer, model, durationMs), model);
      faultPoint('worker.before-append', jobId);
      try {
        return await this.commit(draft, origin);
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
  }

  private async ask(
    state: PhaseState,
    prompt: Prompt | undefined,
    model: ConfiguredModel,
    options: CompleteOptions,
  ): Promise<ChatAnswer | ModelError> {
    const { request } = prompt ?? (await this.promptOf(state, model));
    return model.model.complete(request, options).catch((error: unknown) => {
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
      fact.data.calls.forEach((_call, index) =>
        draft.record(admitCall(draft.state, fact.data, index, this.parts.tools, now)),
      );
    }
    await this.settle(draft, model);
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

  /** Runs the log calls that are due; when nothing is outstanding, decides what follows and reserves the next call. */
  private async settle(draft: Draft, model: ConfiguredModel): Promise<void> {
    const { recorded } = model;
    if (recorded) judgeAsRecorded(draft, recorded);
    for (let due = dueWork(draft.state); due.kind === 'log-call'; due = dueWork(draft.state)) {
      if (recorded) repeatLogCall(draft, due.call, recorded);
      else await runLogCall(draft, due.call, this.parts.tools);
    }
    if (dueWork(draft.state).kind !== 'advance') return;
    const pending = pendingOutcome(draft.state);
    const todosFile = pending && needsTodosFile(pending.gates) ? await draft.readText(TODOS_FILE) : undefined;
    const advance = advancePhase(draft.state, { todosFile });
    const end = advance.events.at(-1);
    if (advance.next === 'ended' && end) {
      draft.record(...advance.events.slice(0, -1));
      // A phase that failed is tried again with the same list, so only a completed one is archived.
      if (end.type === 'PhaseCompleted') this.keepTodos(draft, end.data.plan !== undefined, recorded);
      draft.record(end);
      return;
    }
    draft.record(...advance.events);
    await this.reserve(draft, model);
  }

  /** Files that change with the end of a phase, in the same commit: the archive, and the plan that was handed over. */
  private keepTodos(draft: Draft, planTaken: boolean, recorded: RecordedPhase | undefined): void {
    const { start, todos } = draft.state;
    const archived = recorded && recordedArchive(draft.state, recorded);
    if (archived) draft.recordKnown({ type: 'FileWritten', data: archived });
    else if (start.archive) {
      const endedAt = this.parts.clock.now().toISOString();
      const text = renderArchive({ phase: start.phase, name: start.name, endedAt, todos });
      draft.change([{ path: archivePath(start.phase), content: new TextEncoder().encode(text) }]);
    }
    // Taken over by the next phase; left in place it would pass the gate again without anybody planning.
    if (planTaken) draft.change([{ path: TODOS_FILE, deleted: true }]);
  }

  /** Reserves the next call; where the conversation has grown too long, the call that shortens it first. */
  private async reserve(draft: Draft, model: ConfiguredModel): Promise<void> {
    if (model.recorded) draft.record(...recordedSummaries(draft.state, model.recorded));
    const clearing = model.recorded ? undefined : resultsToClear(draft.state);
    if (clearing) {
      const { callIds, tokens } = clearing;
      draft.record({ type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } });
    }
    const prompt = await promptFor(draft, this.parts.tools, model);
    const summary = model.recorded ? undefined : summaryFor(draft.state, prompt, model);
    draft.prompt = summary?.prompt ?? prompt;
    const { processId, clock } = this.parts;
    draft.record(
      reserveCall(draft.state, draft.prompt, model, processId, clock.now(), summary ? 'summary' : undefined),
    );
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
