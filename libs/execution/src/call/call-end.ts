import type { CallState, PhaseEvent, PhaseState } from '@phaseline/domain';
import { clipResult, storeLongResult, noteIgnoredArguments, type Tool } from '@phaseline/tools';
import type { FileChange, WorkspaceReader } from '@phaseline/workspace';
import type { ToolResult } from './attempt-tool.js';
import { toFileChanges } from './recorded-files.js';

/** Maximum length of an error message in characters; a longer one becomes a file, as a long result does. */
const MAX_MESSAGE_CHARACTERS = 8_000;

/** The end of a call with the files that are committed with it. */
export interface CallEnd {
  readonly event: PhaseEvent;
  readonly files: readonly FileChange[];
}

/** Decides the end of a call from the current files. Called again when another call changed the phase first. */
export type DecideEnd = (workspace: WorkspaceReader) => CallEnd | Promise<CallEnd>;

/** Decides the end of a call that succeeded. */
export function decideCompleted(
  call: CallState,
  { outcome, attempts, durationMs }: Extract<ToolResult, { ok: true }>,
  start: PhaseState['start'],
  tool: Tool | undefined,
): DecideEnd {
  const { callId } = call;
  const limit = start.limits.resultCharacters;
  return async (workspace) => {
    const { content: text, files = [] } = outcome.rebase ? await outcome.rebase(workspace) : outcome;
    const stored = tool?.readsStoredContent
      ? { content: clipResult(text, limit), files: [] }
      : storeLongResult(text, {
          callId,
          tree: workspace.tree,
          maxCharacters: limit,
          canReadFiles: offersReading(start),
        });
    return {
      event: {
        type: 'ToolCallCompleted',
        data: { callId, content: noteIgnoredArguments(call, stored.content), attempts, durationMs },
      },
      files: [...files, ...stored.files],
    };
  };
}

export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly durationMs: number;
}

/** Decides the end of a call that could not be run or whose tool failed. Its file changes are discarded. */
export function decideFailed(
  { callId }: CallState,
  { code, message, attempts, durationMs }: CallFailure,
  start: PhaseState['start'],
): DecideEnd {
  return ({ tree }) => {
    const stored = storeLongResult(message, {
      callId,
      tree,
      maxCharacters: MAX_MESSAGE_CHARACTERS,
      canReadFiles: offersReading(start),
    });
    return {
      event: { type: 'ToolCallFailed', data: { callId, code, message: stored.content, attempts, durationMs } },
      files: stored.files,
    };
  };
}

/** Ends a call as recorded, with the files it changed in the recording. */
export function decideAsRecorded(end: PhaseEvent, facts: readonly PhaseEvent[]): DecideEnd {
  return () => ({ event: end, files: toFileChanges(facts) });
}

function offersReading({ tools }: PhaseState['start']): boolean {
  return tools.includes('read_file');
}
