import { listCurrentOverrides, type PhaseEvent } from '@phaseline/domain';
import {
  askPureGuards as askOnce,
  decidePureGuards,
  type GuardDecision,
  type GuardEvent,
  type GuardOutcome,
} from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';

/** Size in bytes up to which a file is read for a guard. */
const MAX_GUARDED_BYTES = 8 * 1024 * 1024;

/** Asks the rules and scripts of the phase about an event. */
export function askPureGuards(commit: PendingCommit, event: GuardEvent, tools: ToolRegistry): Promise<GuardOutcome> {
  const { state } = commit;
  return decidePureGuards(state.start.terms.guards, event, state, {
    readTexts: (files) => readTexts(commit, files),
    parseAmended: (args) => tools.forPhase(state).parseArguments(event.tool ?? '', args),
    overrides: listCurrentOverrides(state.guards.overrides, commit.now),
  });
}

/** Asks the rules and scripts of the phase once, for a caller that also asks guards of other kinds. */
export function askPureGuardsOnce(commit: PendingCommit, event: GuardEvent): Promise<readonly GuardDecision[]> {
  const { state } = commit;
  return askOnce(state.start.terms.guards, event, state, {
    readTexts: (files) => readTexts(commit, files),
    overrides: listCurrentOverrides(state.guards.overrides, commit.now),
  });
}

/** Builds the event that records the decision of a guard. */
export function toGuardDecided({ point, callId }: GuardEvent, decision: GuardDecision): PhaseEvent {
  const { guard, kind, arguments: amended, suggest: _suggest, ...rest } = decision;
  return {
    type: 'GuardDecided',
    data: {
      point,
      ...(callId === undefined ? {} : { callId }),
      guard,
      decision: kind,
      ...rest,
      ...(amended ? { amended } : {}),
    },
  };
}

/** Reads files for guards, with the changes of this step. */
async function readTexts(
  { state, workspace }: PendingCommit,
  files: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const readable = [...files].filter(([, path]) => (state.tree[path]?.size ?? Infinity) <= MAX_GUARDED_BYTES);
  if (readable.length === 0) return new Map();
  const contents = await workspace.readAll(readable.map(([, path]) => path));
  const decoder = new TextDecoder();
  return new Map(readable.map(([hash, path]) => [hash, decoder.decode(contents.get(path))]));
}
