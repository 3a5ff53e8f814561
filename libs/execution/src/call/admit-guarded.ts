import { admitGuardedCall, type GuardOverride, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import { decidePureGuards, type GuardDecision, type GuardEvent, type GuardOutcome } from '@phaseline/guards';
import type { ToolRegistry } from '@phaseline/tools';
import type { Clock, ResponseSource } from '../ports.js';
import type { PendingCommit } from '../step/pending-commit.js';

/** Size in bytes up to which a file is read for a guard. */
const MAX_GUARDED_BYTES = 8 * 1024 * 1024;

/** What admission uses. */
export interface AdmissionParts {
  readonly source: ResponseSource;
  readonly tools: ToolRegistry;
  readonly clock: Clock;
}

/**
 * Records an admission together with what the pure guards of the phase decide about it: `GuardDecided` for every decision that is not a
 * plain allow, then the call as denied, waiting for a person, or requested with the final arguments.
 */
export async function recordGuardedAdmission(
  commit: PendingCommit,
  admission: PhaseEvent,
  { source, tools, clock }: AdmissionParts,
): Promise<void> {
  const { state } = commit;
  const isAdmitted = admission.type === 'ToolCallRequested' || admission.type === 'ApprovalRequested';
  if (!isAdmitted || state.start.terms.guards === undefined) {
    commit.record(admission);
    return;
  }
  const { callId, name, arguments: args } = admission.data;
  const event: GuardEvent = { point: 'PreToolUse', callId, tool: name, arguments: args };
  const events = await source.admitCall(state, callId, async () => {
    const { merged, recorded } = await askPureGuards(commit, event, tools);
    const decided = recorded.map((decision) => toGuardDecided(event, decision));
    return [...decided, admitGuardedCall(admission, merged, state, clock.now())];
  });
  commit.record(...events);
}

/** Asks the rules and scripts of the phase about an event. */
function askPureGuards(commit: PendingCommit, event: GuardEvent, tools: ToolRegistry): Promise<GuardOutcome> {
  const { state } = commit;
  return decidePureGuards(state.start.terms.guards, event, state, {
    readTexts: (files) => readTexts(commit, files),
    parseAmended: (args) => tools.forPhase(state).parseArguments(event.tool ?? '', args),
    overrides: listOverrides(state, commit.now),
  });
}

/** Builds the event that records the decision of a guard. */
function toGuardDecided({ point, callId }: GuardEvent, decision: GuardDecision): PhaseEvent {
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

function listOverrides({ start, guards }: PhaseState, now: Date): readonly GuardOverride[] {
  return [...(start.terms.guardOverrides ?? []), ...guards.overrides].filter(
    ({ expiresAt }) => Date.parse(expiresAt) > now.getTime(),
  );
}
