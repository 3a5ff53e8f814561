import { admitNestedCall, listLastAnswerCalls, type CallState, type PhaseEvent } from '@phaseline/domain';
import {
  clipResult,
  storeLongResult,
  noteIgnoredArguments,
  type InlineTool,
  type InlineToolOutcome,
  type ToolRegistry,
} from '@phaseline/tools';
import { yieldOnce } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { InvalidPath } from '@phaseline/workspace';
import type { PendingCommit } from '../step/pending-commit.js';

/** Number of files above which a tree is large. */
const LARGE_TREE_FILES = 2_000;

/** Tools that claim completed work. After a failed call in the same answer the claim would be false. */
const COMPLETION_CLAIMS = new Set(['todo_complete', 'complete_todo', 'job_complete', 'archive_and_reset']);

/** Runs one inline call and records its result, or why it failed. */
export async function runInlineCall(
  draft: PendingCommit,
  call: CallState,
  tools: ToolRegistry,
  now: Date,
): Promise<void> {
  const failedBefore = COMPLETION_CLAIMS.has(call.name) ? failedCallBefore(draft, call) : undefined;
  if (failedBefore) {
    draft.record(
      buildCallFailed(
        call,
        'after_failed_call',
        `Not done: the call to ${failedBefore.name} before it in the same answer did not succeed. Look at its result first.`,
      ),
    );
    return;
  }
  const tool = tools.get(call.name);
  if (tool?.lane !== 'log') {
    draft.record(buildCallFailed(call, 'unknown_tool', `${call.name} is not available any more.`));
    return;
  }
  try {
    const outcome = await execute(draft, call, tool, tools);
    for (const nested of outcome.nestedCalls ?? [])
      draft.record(admitNestedCall(draft.state, call, nested, tools.forPhase(draft.state), now));
    if (outcome.nestedCalls?.length) return;
    // The tool and the change of a large tree both take time, so let other work of this process run in between.
    if (outcome.files?.length && Object.keys(draft.state.tree).length > LARGE_TREE_FILES) await yieldOnce();
    draft.changeFiles(outcome.files ?? [], call.callId);
    const content = noteIgnoredArguments(call, storeResult(draft, call, tool, outcome.content));
    draft.record(...(outcome.events ?? []), {
      type: 'ToolCallCompleted',
      data: { callId: call.callId, content, attempts: 1, durationMs: 0 },
    });
  } catch (error) {
    if (!(error instanceof ToolError) && !(error instanceof InvalidPath)) throw error;
    draft.record(buildCallFailed(call, error.code, error.message));
  }
}

/** Returns the text of a result that the model reads. A result that is too long is staged as a file first. */
function storeResult(draft: PendingCommit, { callId }: CallState, tool: InlineTool, text: string): string {
  const { limits, tools } = draft.state.start;
  const limit = limits.resultCharacters;
  if (tool.readsStoredContent) return clipResult(text, limit);
  const { tree } = draft.workspace;
  const { content, files } = storeLongResult(text, {
    callId,
    tree,
    maxCharacters: limit,
    canReadFiles: tools.includes('read_file'),
  });
  draft.changeFiles(files, callId);
  return content;
}

async function execute(
  draft: PendingCommit,
  call: CallState,
  tool: InlineTool,
  tools: ToolRegistry,
): Promise<InlineToolOutcome> {
  const input = tool.input.safeParse(call.arguments);
  if (!input.success) throw new ToolError('bad_arguments', `The arguments of ${call.name} do not fit.`);
  const { state, workspace } = draft;
  const specsOf = (names: readonly string[]) => tools.forPhase(state).specsOf(names);
  return tool.run({ state, workspace, callId: call.callId, specsOf }, input.data);
}

function failedCallBefore(draft: PendingCommit, call: CallState): CallState | undefined {
  for (const other of listLastAnswerCalls(draft.state)) {
    if (other.callId === call.callId) return undefined;
    if (other.status === 'failed' || other.status === 'denied') return other;
  }
  return undefined;
}

function buildCallFailed(call: CallState, code: string, message: string): PhaseEvent {
  return { type: 'ToolCallFailed', data: { callId: call.callId, code, message, attempts: 1, durationMs: 0 } };
}
