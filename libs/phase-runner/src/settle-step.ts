import { resultsToClear } from '@phaseline/context';
import {
  advancePhase,
  archivePath,
  dueWork,
  needsTodosFile,
  pendingOutcome,
  renderArchive,
  TODOS_FILE,
} from '@phaseline/domain';
import type { RecordedPhase } from '@phaseline/history';
import type { ModelError } from '@phaseline/model';
import type { ToolRegistry } from '@phaseline/tools';
import { attemptFact, modelFailure, promptFor, reserveCall, summaryFor } from './call-model.js';
import type { Draft } from './draft.js';
import type { Clock, ConfiguredModel } from './ports.js';
import { judgeAsRecorded, recordedArchive, recordedSummaries, repeatLogCall } from './replay.js';
import { runLogCall } from './run-log-call.js';

/** What it takes to bring a draft to where the phase waits for somebody else. */
export interface StepParts {
  readonly processId: string;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/** Runs the log calls that are due; when nothing is outstanding, decides what follows and reserves the next call. */
export async function settle(draft: Draft, model: ConfiguredModel, parts: StepParts): Promise<void> {
  const { recorded } = model;
  if (recorded) judgeAsRecorded(draft, recorded);
  for (let due = dueWork(draft.state); due.kind === 'log-call'; due = dueWork(draft.state)) {
    if (recorded) repeatLogCall(draft, due.call, recorded);
    else await runLogCall(draft, due.call, parts.tools);
  }
  if (dueWork(draft.state).kind !== 'advance') return;
  const pending = pendingOutcome(draft.state);
  const todosFile = pending && needsTodosFile(pending.gates) ? await draft.readText(TODOS_FILE) : undefined;
  const advance = advancePhase(draft.state, { todosFile });
  const end = advance.events.at(-1);
  if (advance.next === 'ended' && end) {
    draft.record(...advance.events.slice(0, -1));
    // A phase that failed is tried again with the same list, so only a completed one is archived.
    if (end.type === 'PhaseCompleted') keepTodos(draft, end.data.plan !== undefined, recorded, parts);
    draft.record(end);
    return;
  }
  draft.record(...advance.events);
  await reserve(draft, model, parts);
}

/** Files that change with the end of a phase, in the same commit: the archive, and the plan that was handed over. */
function keepTodos(draft: Draft, planTaken: boolean, recorded: RecordedPhase | undefined, parts: StepParts): void {
  const { start, todos } = draft.state;
  const archived = recorded && recordedArchive(draft.state, recorded);
  if (archived) draft.recordKnown({ type: 'FileWritten', data: archived });
  else if (start.archive) {
    const endedAt = parts.clock.now().toISOString();
    const text = renderArchive({ phase: start.phase, name: start.name, endedAt, todos });
    draft.change([{ path: archivePath(start.phase), content: new TextEncoder().encode(text) }]);
  }
  // Taken over by the next phase; left in place it would pass the gate again without anybody planning.
  if (planTaken) draft.change([{ path: TODOS_FILE, deleted: true }]);
}

/** Reserves the next call; where the conversation has grown too long, the call that shortens it first. */
export async function reserve(draft: Draft, model: ConfiguredModel, parts: StepParts): Promise<void> {
  if (model.recorded) draft.record(...recordedSummaries(draft.state, model.recorded));
  const clearing = model.recorded ? undefined : resultsToClear(draft.state);
  if (clearing) {
    const { callIds, tokens } = clearing;
    draft.record({ type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } });
  }
  const prompt = await promptFor(draft, parts.tools, model);
  const summary = model.recorded ? undefined : summaryFor(draft.state, prompt, model);
  draft.prompt = summary?.prompt ?? prompt;
  const { processId, clock } = parts;
  draft.record(reserveCall(draft.state, draft.prompt, model, processId, clock.now(), summary ? 'summary' : undefined));
}

/** An attempt that may have been charged, and the next one, for which its own worst case must still be there. */
export async function reserveAgain(
  draft: Draft,
  error: ModelError,
  model: ConfiguredModel,
  parts: StepParts,
): Promise<void> {
  draft.record(attemptFact(draft.state, error, model));
  await reserve(draft, model, parts);
}

/** The end of the phase. An attempt that surely cost nothing first gives back what was reserved for it. */
export function giveUp(draft: Draft, error: ModelError, model: ConfiguredModel): void {
  if (!error.mayBeCharged) draft.record(attemptFact(draft.state, error, model));
  draft.record(modelFailure(error));
}
