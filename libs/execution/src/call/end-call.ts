import { createYielder, yieldOnce, type JsonObject } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import type { AdmittedCall, PhaseEvent, PhaseState } from '@phaseline/domain';
import {
  clipResult,
  noteAmendment,
  noteGuards,
  noteIgnoredArguments,
  storeLongResult,
  type InlineToolOutcome,
} from '@phaseline/tools';
import { InvalidPath, precomputeHash, type BlobWrite, type FileChange } from '@phaseline/workspace';
import { guardFiles } from './guard-files.js';
import { protectFiles } from './protect-files.js';
import { buildErrorReport, type FailedAttempt } from './error-report.js';
import type { PendingCommit } from '../step/pending-commit.js';

/** Maximum length of an error message in characters; a longer one becomes a file, as a long result does. */
const MAX_MESSAGE_CHARACTERS = 8_000;
/** Does not name the file: a message that differs with every call would hide that calls fail in the same way. */
const EXHAUSTED_NOTE = 'No attempt is left; the folder errors/ lists them.';
/** Number of files above which a tree is large. */
const LARGE_TREE_FILES = 2_000;

/** The attempts of a call, and the time in milliseconds that they took together. */
interface Attempts {
  readonly attempts: number;
  readonly durationMs: number;
  /** Events that the tool recorded, whether it succeeded or failed. */
  readonly events?: readonly PhaseEvent[];
}

interface CallSuccess extends Attempts {
  readonly isOk: true;
  readonly outcome: Omit<InlineToolOutcome, 'nestedCalls' | 'question' | 'openClaim' | 'failure'>;
}

/** The result of a call that could not be run or whose tool failed. Its file changes are discarded. */
interface CallFailure extends Attempts {
  readonly isOk: false;
  readonly code: string;
  readonly message: string;
  readonly result?: JsonObject | undefined;
  /** All attempts, if the failure may pass and no attempt is left. */
  readonly failures?: readonly FailedAttempt[];
}

export type CallResult = CallSuccess | CallFailure;

/**
 * Records how a call ended, with the files and the events of its tool. A success whose files cannot be staged is
 * recorded as a failure.
 */
export async function endCall(commit: PendingCommit, call: AdmittedCall, result: CallResult): Promise<void> {
  commit.record(...(result.events ?? []));
  if (!result.isOk) {
    recordFailed(commit, call, result);
    return;
  }
  try {
    await recordCompleted(commit, call, result);
  } catch (error) {
    recordFailed(commit, call, { ...toFailure(error), attempts: result.attempts, durationMs: result.durationMs });
  }
}

/** Returns code and message of an error that a tool may cause. Throws every other error, which is a defect. */
export function toFailure(error: unknown): Omit<CallFailure, keyof Attempts> {
  if (!(error instanceof ToolError) && !(error instanceof InvalidPath)) throw error;
  const { code, message } = error;
  return { isOk: false, code, message, result: error instanceof ToolError ? error.result : undefined };
}

async function recordCompleted(
  commit: PendingCommit,
  call: AdmittedCall,
  { outcome, attempts, durationMs }: CallSuccess,
): Promise<void> {
  const { callId } = call;
  const { start } = commit.state;
  const limit = start.terms.limits.resultCharacters;
  const { content, files = [] } = outcome.rebase ? await outcome.rebase(commit.workspace) : outcome;
  const { tree } = commit.workspace;
  const stored = call.traits.includes('reads_stored_content')
    ? { content: clipResult(content, limit), files: [] }
    : storeLongResult(content, { callId, tree, maxCharacters: limit, canReadFiles: canReadFiles(start) });
  const written = await writeFiles(commit, call, files, { blobs: outcome.blobs ?? [], resultFiles: stored.files });
  commit.record(...(outcome.events ?? []), ...written.events, {
    type: 'ToolCallCompleted',
    data: {
      callId,
      content: noteGuards(call, noteAmendment(call, noteIgnoredArguments(call, stored.content))) + written.note,
      ...(outcome.result ? { result: outcome.result } : {}),
      attempts,
      durationMs,
    },
  });
}

/**
 * Writes the files of a call, but for what is protected or what a guard refuses. `resultFiles` are those that the engine adds. Returns the events that
 * follow the changes, and what the model is told.
 */
export async function writeFiles(
  commit: PendingCommit,
  call: AdmittedCall,
  files: readonly FileChange[],
  { blobs, resultFiles }: { readonly blobs: readonly BlobWrite[]; readonly resultFiles: readonly FileChange[] },
): Promise<{ readonly events: readonly PhaseEvent[]; readonly note: string }> {
  const unprotected = await protectFiles(commit, call, files, blobs);
  const kept = await guardFiles(commit, call, unprotected.files);
  const yieldOften = createYielder();
  for (const file of kept.files) if ('content' in file) await precomputeHash(file.content, yieldOften);
  // The change of a large tree takes time, so let other work of this process run first.
  if (kept.files.length > 0 && Object.keys(commit.workspace.tree).length > LARGE_TREE_FILES) await yieldOnce();
  commit.changeFiles([...kept.files, ...resultFiles], call.callId);
  commit.blobs.push(...blobs);
  return { events: [...unprotected.events, ...kept.events], note: unprotected.note + kept.note };
}

function recordFailed(
  commit: PendingCommit,
  call: AdmittedCall,
  { code, message, result, attempts, durationMs, failures }: CallFailure,
): void {
  const { callId } = call;
  const report = failures && buildErrorReport(commit, call, failures);
  const text = report ? `${message} ${EXHAUSTED_NOTE}` : message;
  const stored = storeLongResult(text, {
    callId,
    tree: commit.workspace.tree,
    maxCharacters: MAX_MESSAGE_CHARACTERS,
    canReadFiles: canReadFiles(commit.state.start),
  });
  commit.changeFiles([...(report ? [report] : []), ...stored.files], callId);
  commit.record({
    type: 'ToolCallFailed',
    data: {
      callId,
      code,
      message: noteGuards(call, noteAmendment(call, stored.content)),
      ...(result ? { result } : {}),
      attempts,
      durationMs,
      ...(failures ? { exhausted: true } : {}),
    },
  });
}

function canReadFiles({ terms: { tools } }: PhaseState['start']): boolean {
  return tools.includes('read_file');
}
