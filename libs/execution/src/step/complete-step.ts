import { advanceOrUnstick, buildModelAwaited, dueWork, buildPhaseFailed, RUN_SCRIPT } from '@phaseline/domain';
import type { ModelError } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import { buildModelCallFailed, buildModelPhaseFailed, buildNextPrompt, reserveCall } from './call-model.js';
import type { PendingCommit } from './pending-commit.js';
import { readGateInput } from './gate-input.js';
import { archiveTodos } from './archive-todos.js';
import type { Clock, ConfiguredModel } from '../ports.js';
import { recordExperience } from './record-experience.js';
import {
  applyRecordedJudgements,
  findRecordedClearings,
  findRecordedSummaries,
  replayInlineCall,
} from '../source/replay.js';
import { runInlineCall } from '../call/run-inline-call.js';
import { prepareNextCall, type NextCall } from './shorten-prompt.js';

/** What the functions of this file need besides the draft and the model. */
export interface StepParts {
  readonly processId: string;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/** Runs the inline calls that are due. When nothing is outstanding, decides what follows and reserves the next call. */
export async function completeStep(draft: PendingCommit, model: ConfiguredModel, parts: StepParts): Promise<void> {
  const { recorded } = model;
  if (recorded) applyRecordedJudgements(draft, recorded);
  for (let due = dueWork(draft.state); due.kind === 'log-call'; due = dueWork(draft.state)) {
    // A script is run, not replayed: it makes its calls again, and those are replayed.
    if (recorded && due.call.name !== RUN_SCRIPT) replayInlineCall(draft, due.call, recorded);
    else await runInlineCall(draft, due.call, parts.tools, parts.clock.now());
    if (recorded) applyRecordedJudgements(draft, recorded);
  }
  if (dueWork(draft.state).kind !== 'advance') return;
  const advance = advanceOrUnstick(draft.state, await readGateInput(draft));
  const end = advance.events.at(-1);
  if (advance.next === 'ended' && end) {
    draft.record(...advance.events.slice(0, -1));
    // A failed phase is retried with the same list, so archive only when it completed.
    if (end.type === 'PhaseCompleted') archiveTodos(draft, end.data, recorded, parts.clock.now());
    await recordExperience(draft, end);
    draft.record(end);
    return;
  }
  draft.record(...advance.events);
  await reserveNextCall(draft, model, parts);
}

/** Reserves the next call, or first the call that shortens a conversation that has grown too long. */
export async function reserveNextCall(draft: PendingCommit, model: ConfiguredModel, parts: StepParts): Promise<void> {
  if (model.recorded) {
    draft.recordWithStoredFiles(...findRecordedClearings(draft.state, model.recorded));
    draft.record(...findRecordedSummaries(draft.state, model.recorded));
  }
  const { prompt, purpose }: NextCall = model.recorded
    ? { prompt: await buildNextPrompt(draft, parts.tools, model) }
    : await prepareNextCall(draft, parts.tools, model);
  draft.prompt = prompt;
  draft.record(reserveCall(draft.state, prompt, model, parts.processId, parts.clock.now(), purpose));
}

/**
 * Records a failed attempt that may have been charged and reserves the next one, whose own worst case must still be
 * affordable.
 */
export async function reserveRetry(
  draft: PendingCommit,
  error: ModelError,
  model: ConfiguredModel,
  parts: StepParts,
): Promise<void> {
  draft.record(buildModelCallFailed(draft.state, error, model));
  await reserveNextCall(draft, model, parts);
}

/**
 * Records that the phase waits for its unreachable model server, once. An attempt that certainly cost nothing keeps the
 * call and its reservation. One that may be charged keeps its reservation, and the next attempt gets its own.
 */
export async function startAwaitingServer(
  draft: PendingCommit,
  error: ModelError,
  model: ConfiguredModel,
  parts: StepParts,
): Promise<void> {
  if (error.mayBeCharged) await reserveRetry(draft, error, model, parts);
  const awaited = buildModelAwaited(draft.state, error, model.profile.retries.waitMs, parts.clock.now());
  if (awaited) draft.record(awaited);
}

/** Ends a phase whose model server did not come back in time. An immediate retry could not help. */
export function failAfterOutage(draft: PendingCommit, error: ModelError, model: ConfiguredModel): void {
  const { since } = draft.state.awaitedModel ?? {};
  draft.record(buildModelCallFailed(draft.state, error, model));
  const message = `${error.message}. It was waited for since ${since}: retry the job once the server is back`;
  draft.record(buildPhaseFailed('model_failed', message, false));
}

/** Ends the phase. An attempt that certainly cost nothing first releases its reservation. */
export function failAfterError(draft: PendingCommit, error: ModelError, model: ConfiguredModel): void {
  if (!error.mayBeCharged) draft.record(buildModelCallFailed(draft.state, error, model));
  draft.record(buildModelPhaseFailed(error));
}
