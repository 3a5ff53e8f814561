import { advanceWatched, awaitModel, dueWork, failure, RUN_SCRIPT } from '@phaseline/domain';
import type { ModelError } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import { attemptFact, modelFailure, promptFor, reserveCall } from './call-model.js';
import type { Draft } from './draft.js';
import { gateInput } from './gate-input.js';
import { keepTodos } from './keep-todos.js';
import type { Clock, ConfiguredModel } from '../ports.js';
import { noteExperience } from './note-experience.js';
import { judgeAsRecorded, recordedClearings, recordedSummaries, repeatLogCall } from '../source/replay.js';
import { runLogCall } from '../call/run-log-call.js';
import { nextCall, type NextCall } from './shorten-prompt.js';

/** What the functions of this file need besides the draft and the model. */
export interface StepParts {
  readonly processId: string;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/** Runs the inline calls that are due. When nothing is outstanding, decides what follows and reserves the next call. */
export async function settle(draft: Draft, model: ConfiguredModel, parts: StepParts): Promise<void> {
  const { recorded } = model;
  if (recorded) judgeAsRecorded(draft, recorded);
  for (let due = dueWork(draft.state); due.kind === 'log-call'; due = dueWork(draft.state)) {
    // A script is run, not replayed: it makes its calls again, and those are replayed.
    if (recorded && due.call.name !== RUN_SCRIPT) repeatLogCall(draft, due.call, recorded);
    else await runLogCall(draft, due.call, parts.tools, parts.clock.now());
    if (recorded) judgeAsRecorded(draft, recorded);
  }
  if (dueWork(draft.state).kind !== 'advance') return;
  const advance = advanceWatched(draft.state, await gateInput(draft));
  const end = advance.events.at(-1);
  if (advance.next === 'ended' && end) {
    draft.record(...advance.events.slice(0, -1));
    // A failed phase is retried with the same list, so archive only when it completed.
    if (end.type === 'PhaseCompleted') keepTodos(draft, end.data, recorded, parts.clock.now());
    await noteExperience(draft, end);
    draft.record(end);
    return;
  }
  draft.record(...advance.events);
  await reserve(draft, model, parts);
}

/** Reserves the next call, or first the call that shortens a conversation that has grown too long. */
export async function reserve(draft: Draft, model: ConfiguredModel, parts: StepParts): Promise<void> {
  if (model.recorded) {
    draft.recordKnown(...recordedClearings(draft.state, model.recorded));
    draft.record(...recordedSummaries(draft.state, model.recorded));
  }
  const { prompt, purpose }: NextCall = model.recorded
    ? { prompt: await promptFor(draft, parts.tools, model) }
    : await nextCall(draft, parts.tools, model);
  draft.prompt = prompt;
  draft.record(reserveCall(draft.state, prompt, model, parts.processId, parts.clock.now(), purpose));
}

/**
 * Records a failed attempt that may have been charged and reserves the next one, whose own worst case must still be
 * affordable.
 */
export async function reserveAgain(
  draft: Draft,
  error: ModelError,
  model: ConfiguredModel,
  parts: StepParts,
): Promise<void> {
  draft.record(attemptFact(draft.state, error, model));
  await reserve(draft, model, parts);
}

/**
 * Records that the phase waits for its unreachable model server, once. An attempt that certainly cost nothing keeps the
 * call and its reservation. One that may be charged keeps its reservation, and the next attempt gets its own.
 */
export async function awaitServer(
  draft: Draft,
  error: ModelError,
  model: ConfiguredModel,
  parts: StepParts,
): Promise<void> {
  if (error.mayBeCharged) await reserveAgain(draft, error, model, parts);
  const awaited = awaitModel(draft.state, error, model.profile.retries.waitMs, parts.clock.now());
  if (awaited) draft.record(awaited);
}

/** Ends a phase whose model server did not come back in time. An immediate retry could not help. */
export function giveUpWaiting(draft: Draft, error: ModelError, model: ConfiguredModel): void {
  const { since } = draft.state.awaitedModel ?? {};
  draft.record(attemptFact(draft.state, error, model));
  const message = `${error.message}. It was waited for since ${since}: retry the job once the server is back`;
  draft.record(failure('model_failed', message, false));
}

/** Ends the phase. An attempt that certainly cost nothing first releases its reservation. */
export function giveUp(draft: Draft, error: ModelError, model: ConfiguredModel): void {
  if (!error.mayBeCharged) draft.record(attemptFact(draft.state, error, model));
  draft.record(modelFailure(error));
}
