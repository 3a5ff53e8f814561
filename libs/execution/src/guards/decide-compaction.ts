import type { CallId } from '@phaseline/contracts';
import { planGuardRuns, type PhaseState } from '@phaseline/domain';
import { listGuardsAt } from '@phaseline/guards';
import type { PendingCommit } from '../step/pending-commit.js';
import { settle } from './command-guards.js';
import { decideWithPureGuards, decideWithRuns, type GuardParts } from './decide-moment.js';

const COMPACTION = { point: 'PreCompact' } as const;

/** What guards decided about summarising the conversation. */
export type DecidedCompaction = 'allowed' | 'refused';

/** Ends the wait for command guards about summarising the conversation, if there is one, and returns what they decided. */
export async function settleCompaction(
  commit: PendingCommit,
  parts: GuardParts,
): Promise<DecidedCompaction | undefined> {
  const wait = commit.state.guardWaits.find(({ point }) => point === COMPACTION.point);
  if (!wait) return undefined;
  const refusal = await decideWithRuns(commit, COMPACTION, 'command', wait.runs, parts);
  commit.record(settle(wait));
  return refusal ? 'refused' : 'allowed';
}

/**
 * Asks guards whether the conversation may be summarised before the next call of the model. Returns `wait` if command guards have to be run
 * first.
 */
export async function decideCompaction(commit: PendingCommit, parts: GuardParts): Promise<DecidedCompaction | 'wait'> {
  const { start, modelCall } = commit.state;
  const commands = listGuardsAt(start.terms.guards ?? [], 'command', COMPACTION.point);
  // They decided about this call before its first attempt, and nothing can be awaited while it is open.
  if (commands.length > 0 && modelCall.open) return modelCall.open.purpose === 'summary' ? 'allowed' : 'refused';
  if (await decideWithPureGuards(commit, COMPACTION, parts)) return 'refused';
  if (commands.length === 0) return 'allowed';
  const id = buildCompactionId(commit.state);
  const { runs, requests } = planGuardRuns(commit.state, { id, point: COMPACTION.point, guards: commands });
  commit.record({ type: 'GuardsAwaited', data: { point: COMPACTION.point, round: 1, runs: [...runs] } }, ...requests);
  return 'wait';
}

/** They are asked again at the same step if something else had to be decided first, such as a message of a person. */
function buildCompactionId({ start, money, calls }: PhaseState): CallId {
  const prefix = `moment_${start.identity.phase}_compact_${money.spending.steps}`;
  const asked = Object.keys(calls.byId).filter((id) => id.startsWith(`${prefix}_`));
  return `${prefix}_${asked.length + 1}`;
}
