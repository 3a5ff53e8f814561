import type { AdmittedCall, PhaseEvent } from '@phaseline/domain';
import { hasEffect, isRecorded, mergeDecisions, type GuardEvent, type MergedDecision } from '@phaseline/guards';
import { normalisePath, toText, type FileChange } from '@phaseline/workspace';
import { askPureGuardsOnce, toGuardDecided } from '../guards/ask-guards.js';
import type { PendingCommit } from '../step/pending-commit.js';
import { undoChanges, type KeptChanges } from './undone-changes.js';

/** Size in bytes up to which the content of a changed file is shown to guards. */
const MAX_SHOWN_BYTES = 8 * 1024 * 1024;

/**
 * Asks the rules and scripts of the phase about each file that a command changed, as if the agent had called `write_file` or `delete_file`. The
 * command has already run, so a change that a guard does not let pass is undone, named in the result, and recorded. Files of git itself are
 * not asked about: a command writes thousands of them.
 */
export async function guardFiles(
  commit: PendingCommit,
  { callId, name }: AdmittedCall,
  files: readonly FileChange[],
): Promise<KeptChanges> {
  if (name !== 'run_command' || commit.state.start.terms.guards === undefined) return { files, events: [], note: '' };
  const events: PhaseEvent[] = [];
  const undone = new Map<string, string>();
  for (const change of files) {
    const path = normalisePath(change.path);
    // What no command changed was changed by a person.
    const isAsked = change.origin !== 'outside' && !/(?:^|\/)\.git\//.test(path);
    const event = toWrite(callId, path, change);
    const decisions = isAsked ? await askPureGuardsOnce(commit, event) : [];
    events.push(...decisions.filter(isRecorded).map((decision) => toGuardDecided(event, decision)));
    const reason = findReason(mergeDecisions(decisions.filter(hasEffect)));
    if (reason !== undefined) undone.set(path, reason);
  }
  const kept = undoChanges(callId, files, undone);
  return { ...kept, events: [...events, ...kept.events] };
}

/** The change as the call of the tool that would make it. */
function toWrite(callId: string, path: string, change: FileChange): GuardEvent {
  if ('deleted' in change) return { point: 'PreToolUse', callId, tool: 'delete_file', arguments: { path } };
  const content = 'content' in change ? toText(change.content, MAX_SHOWN_BYTES) : undefined;
  const args = content === undefined ? { path } : { path, content };
  return { point: 'PreToolUse', callId, tool: 'write_file', arguments: args };
}

/** Returns why a change is undone; `undefined` if it passes. Nobody can be asked any more, and nothing can be amended. */
function findReason(merged: MergedDecision): string | undefined {
  if (merged.kind === 'deny') return `${merged.reason} (guard ${merged.by.name})`;
  if (merged.kind === 'ask') return `a person has to approve it: ${merged.reason} (guard ${merged.by.name})`;
  const { amended } = merged;
  return amended && `${amended.reason} (guard ${amended.by[0]!.name}, which changes such a call)`;
}
