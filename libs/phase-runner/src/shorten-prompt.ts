import { resultsOverLimit, resultsToClear, type Clearing, type Prompt } from '@phaseline/context';
import { lastCalls, resultPath } from '@phaseline/domain';
import { keepResult, type ToolRegistry } from '@phaseline/tools';
import { habitOf, promptFor, roomOf, summaryFor } from './call-model.js';
import type { Draft } from './draft.js';
import type { ConfiguredModel } from './ports.js';

/** The call that comes next: on with the work, or the one that shortens the conversation first. */
export interface NextCall {
  readonly prompt: Prompt;
  readonly purpose?: 'summary';
}

/**
 * The prompt of the next call, checked before every call against what it may have. What loses nothing comes first: old
 * results are cleared, and old reasoning where the model is sent any. Then the conversation is summarised. Only where the last answer alone asked for more than the model
 * can take do its results go into files before the model has seen them.
 */
export async function nextCall(draft: Draft, tools: ToolRegistry, model: ConfiguredModel): Promise<NextCall> {
  const old = resultsToClear(draft.state, habitOf(model));
  if (old) clearResults(draft, old, tools, false);
  const prompt = await promptFor(draft, tools, model);
  const summary = summaryFor(draft.state, prompt, model);
  if (summary) return { prompt: summary.prompt, purpose: 'summary' };
  const tooLong = resultsOverLimit(draft.state, prompt.ledger.total - roomOf(model), habitOf(model));
  if (!tooLong) return { prompt };
  clearResults(draft, tooLong, tools, true);
  return { prompt: await promptFor(draft, tools, model) };
}

/**
 * Clears results and keeps those as files that a second call would not bring back: of tools that are not `pure`, or all.
 * The file belongs to its call, so that a fork which repeats the call has it too.
 */
function clearResults(
  draft: Draft,
  { callIds, tokens, reasoning }: Clearing,
  tools: ToolRegistry,
  keepAll: boolean,
): void {
  const known = tools.of(draft.state);
  for (const { callId, name, text } of resultsOf(draft, new Set(callIds))) {
    const { tree } = draft.workspace;
    if (Object.hasOwn(tree, resultPath(callId))) continue;
    if (!keepAll && known.find(name)?.effect === 'pure') continue;
    draft.change(keepResult(text, { callId, tree, limit: 0, readable: false }).files, callId);
  }
  if (callIds.length > 0) draft.record({ type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } });
  if (reasoning) draft.record({ type: 'ReasoningCleared', data: reasoning });
}

function resultsOf({ state }: Draft, callIds: ReadonlySet<string>) {
  const settled = state.transcript.flatMap((entry) =>
    entry.kind === 'answer'
      ? entry.answer.calls.map(({ callId, name }) => ({ callId, name, text: entry.results?.[callId] ?? '' }))
      : [],
  );
  const open = lastCalls(state).map(({ callId, name, result = '' }) => ({ callId, name, text: result }));
  const all = new Map([...settled, ...open].map((result) => [result.callId, result]));
  return [...callIds].flatMap((callId) => all.get(callId) ?? []);
}
