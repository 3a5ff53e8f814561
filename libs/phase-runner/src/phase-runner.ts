import type { Prompt } from '@phaseline/context';
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
  type PhaseState,
} from '@phaseline/domain';
import { WrongExpectedVersion, StreamClosed } from '@phaseline/event-store';
import type { EventOrigin, Histories } from '@phaseline/history';
import { ModelError } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import type { BlobReader } from '@phaseline/workspace';
import { answerFact, modelFailure, promptFor, reserveCall } from './call-model.js';
import { Draft } from './draft.js';
import type { Clock, ConfiguredModel, Holdings, Leases, ModelCatalogue, Sender } from './ports.js';
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
      if (error instanceof WrongExpectedVersion || error instanceof StreamClosed) return 'released';
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
    const state = await histories.phase(work.jobId, work.phase);
    if (!state || state.end) return 'released';
    const { openModelCall } = state;
    if (openModelCall && openModelCall.holder !== processId && (await leases.isHeld(openModelCall.holder, streamId)))
      return 'held-elsewhere';
    const model = await this.parts.models.find(state.start.model);
    if (!model) {
      const message = `the worker has no model profile named ${state.start.model}; add models/${state.start.model}.yaml`;
      await histories.appendToPhase(state, [failure('definition_missing', message, false)], { origin });
      return 'released';
    }
    let last = await this.pickUp(state, model, origin);
    while (!last.state.end) {
      if (dueWork(last.state).kind === 'tools') {
        await this.sendTools(last.state);
        return 'released';
      }
      last = await this.step(last, model, origin, signal);
    }
    return 'released';
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
      draft.record({
        type: 'PhaseResumed',
        data: { epoch: state.epoch + 1, holder: processId, previousHolder: openModelCall.holder },
      });
      await this.reserve(draft, model);
    } else {
      await this.settle(draft, model);
    }
    return this.commit(draft, origin);
  }

  /** One step: one model call, and one commit with everything that its answer leads to. */
  private async step(
    { state, prompt }: Committed,
    model: ConfiguredModel,
    origin: EventOrigin,
    signal: AbortSignal,
  ): Promise<Committed> {
    const draft = new Draft(state, this.parts.blobs);
    const { request } = prompt ?? (await promptFor(draft, this.parts.tools, model));
    const started = performance.now();
    try {
      const answer = await model.model.complete(request, { signal });
      const fact = answerFact(state, answer, model, performance.now() - started);
      draft.record(fact);
      if (fact.type === 'ModelResponded') {
        fact.data.calls.forEach((_call, index) =>
          draft.record(admitCall(draft.state, fact.data, index, this.parts.tools)),
        );
      }
      await this.settle(draft, model);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      draft.record(modelFailure(error));
    }
    return this.commit(draft, origin);
  }

  /** Runs the log calls that are due; when nothing is outstanding, decides what follows and reserves the next call. */
  private async settle(draft: Draft, model: ConfiguredModel): Promise<void> {
    for (let due = dueWork(draft.state); due.kind === 'log-call'; due = dueWork(draft.state)) {
      await runLogCall(draft, due.call, this.parts.tools);
    }
    if (dueWork(draft.state).kind !== 'advance') return;
    const pending = pendingOutcome(draft.state);
    const todosFile = pending && needsTodosFile(pending.gates) ? await draft.readText(TODOS_FILE) : undefined;
    const advance = advancePhase(draft.state, { todosFile });
    const end = advance.events.at(-1);
    if (advance.next === 'ended' && end) {
      draft.record(...advance.events.slice(0, -1));
      // A phase that failed is tried again with the same list, so only a completed one is archived.
      if (end.type === 'PhaseCompleted') this.keepTodos(draft, end.data.plan !== undefined);
      draft.record(end);
      return;
    }
    draft.record(...advance.events);
    await this.reserve(draft, model);
  }

  /** Files that change with the end of a phase, in the same commit: the archive, and the plan that was handed over. */
  private keepTodos(draft: Draft, planTaken: boolean): void {
    const { start, todos } = draft.state;
    if (start.archive) {
      const endedAt = this.parts.clock.now().toISOString();
      const text = renderArchive({ phase: start.phase, name: start.name, endedAt, todos });
      draft.change([{ path: archivePath(start.phase), content: new TextEncoder().encode(text) }]);
    }
    // Taken over by the next phase; left in place it would pass the gate again without anybody planning.
    if (planTaken) draft.change([{ path: TODOS_FILE, deleted: true }]);
  }

  private async reserve(draft: Draft, model: ConfiguredModel): Promise<void> {
    draft.prompt = await promptFor(draft, this.parts.tools, model);
    draft.record(reserveCall(draft.state, draft.prompt, model, this.parts.processId, this.parts.clock.now()));
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
    await Promise.all(
      due.calls.map((call) => {
        const { queue, id, payload } = toolMessage(state, call.callId);
        return this.parts.sender.send(queue, payload, { id });
      }),
    );
  }
}
