import type { CallState, PhaseEvent, PhaseState } from '@phaseline/domain';
import { clipResult, keepResult, withIgnored, type Tool } from '@phaseline/tools';
import type { FileChange, WorkspaceReader } from '@phaseline/workspace';
import type { ToolResult } from './attempt-tool.js';
import { recordedFiles } from './recorded-files.js';

/** Why a call failed is seldom long; what is longer than this becomes a file, as a long result does. */
const MESSAGE_CHARACTERS = 8_000;

/** The end of a call with the files that are committed with it. */
export interface CallEnd {
  readonly event: PhaseEvent;
  readonly files: readonly FileChange[];
}

/** Decides the end of a call on the files as they stand when it is recorded, and again when neighbours were faster. */
export type DecideEnd = (workspace: WorkspaceReader) => CallEnd | Promise<CallEnd>;

/** A call that a tool answered. */
export function completed(
  call: CallState,
  { outcome, attempts, durationMs }: Extract<ToolResult, { ok: true }>,
  start: PhaseState['start'],
  tool: Tool | undefined,
): DecideEnd {
  const { callId } = call;
  const limit = start.limits.resultCharacters;
  return async (workspace) => {
    const { content: text, files = [] } = outcome.onto ? await outcome.onto(workspace) : outcome;
    const kept = tool?.readsAgain
      ? { content: clipResult(text, limit), files: [] }
      : keepResult(text, { callId, tree: workspace.tree, limit, readable: offersReading(start) });
    return {
      event: {
        type: 'ToolCallCompleted',
        data: { callId, content: withIgnored(call, kept.content), attempts, durationMs },
      },
      files: [...files, ...kept.files],
    };
  };
}

export interface CallFailure {
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  readonly durationMs: number;
}

/** A call that could not be run, or whose tool failed. Files that it wanted to change are not. */
export function failed(
  { callId }: CallState,
  { code, message, attempts, durationMs }: CallFailure,
  start: PhaseState['start'],
): DecideEnd {
  return ({ tree }) => {
    const kept = keepResult(message, { callId, tree, limit: MESSAGE_CHARACTERS, readable: offersReading(start) });
    return {
      event: { type: 'ToolCallFailed', data: { callId, code, message: kept.content, attempts, durationMs } },
      files: kept.files,
    };
  };
}

/** A call as it ended in the recording, with the files that it left there. */
export function asRecorded(end: PhaseEvent, facts: readonly PhaseEvent[]): DecideEnd {
  return () => ({ event: end, files: recordedFiles(facts) });
}

function offersReading({ tools }: PhaseState['start']): boolean {
  return tools.includes('read_file');
}
