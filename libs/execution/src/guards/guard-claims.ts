import {
  buildGuardFailure,
  buildTodoRefusal,
  findClaimedEnd,
  findOpenClaim,
  getEndPoint,
  refuseClaimedEnd,
  renderGuardRefusal,
  type Advance,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import type { InlineToolOutcome } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';
import { recordGuardDecisions, type GuardParts } from './ask-guards.js';

/**
 * Asks guards about the todos that a call claims, once their checks hold, or only wait for runs. Returns the outcome of the call: the same,
 * or the refusal of the first guard. A claim that was open has been asked about when it was raised.
 */
export async function guardTodoClaims(
  commit: PendingCommit,
  { callId }: AdmittedCall,
  outcome: InlineToolOutcome,
  parts: GuardParts,
): Promise<InlineToolOutcome> {
  const claimed = listClaimedTodos(outcome);
  if (claimed.length === 0 || findOpenClaim(commit.state, callId)) return outcome;
  for (const todoId of claimed) {
    const content = commit.state.todos.list.find(({ id }) => id === todoId)?.content ?? '';
    const event = { point: 'TaskCompleted', callId, todo: { id: todoId, content } } as const;
    const refusal = await recordGuardDecisions(commit, event, parts);
    if (!refusal) continue;
    const failures = [buildGuardFailure(refusal)];
    const refused = buildTodoRefusal(commit.state, todoId, { callId, failures, why: renderGuardRefusal(refusal) });
    return { content: '', failure: { code: 'claim_refused', message: refused.data.message }, events: [refused] };
  }
  return outcome;
}

function listClaimedTodos({ events = [], openClaim = [] }: InlineToolOutcome): readonly number[] {
  return [...events, ...openClaim].flatMap(({ type, data }: PhaseEvent) => {
    if (type === 'TodoCompleted') return [data.todoId];
    return type === 'ClaimRaised' && data.subject.kind === 'todo' ? [data.subject.todoId] : [];
  });
}

/** Asks guards about the end that a phase claims, once its checks hold, or only wait for runs. Returns what follows. */
export async function guardPhaseEnd(commit: PendingCommit, advance: Advance, parts: GuardParts): Promise<Advance> {
  const { state } = commit;
  const claimed = findClaimedEnd(advance);
  if (!claimed || findOpenClaim(state)) return advance;
  const event = {
    point: getEndPoint(state.start),
    outcome: claimed.outcome,
    isRepeated: state.guards.isEndRefusedByGuard === true,
    ...findLastMessage(state),
  };
  const refusal = await recordGuardDecisions(commit, event, parts);
  return refusal ? refuseClaimedEnd(commit.state, advance, claimed, refusal) : advance;
}

function findLastMessage({ conversation }: PhaseState): { readonly lastMessage?: string } {
  const last = conversation.transcript.findLast((entry) => entry.kind === 'answer');
  return last?.kind === 'answer' ? { lastMessage: last.answer.content } : {};
}
