import {
  buildGuardFailure,
  buildTodoRefusal,
  findClaimedEnd,
  findOpenClaim,
  getEndPoint,
  raiseClaim,
  refuseClaimedEnd,
  renderGuardRefusal,
  type Advance,
  type AdmittedCall,
  type GuardRefusal,
  type PhaseEvent,
  type PhaseEventData,
  type PhaseState,
} from '@phaseline/domain';
import type { CallId } from '@phaseline/contracts';
import type { InlineToolOutcome } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';
import { listClaimGuardRuns, type ClaimEvent } from './claim-guard-runs.js';
import { decideWithPureGuards, decideWithRuns, type GuardParts } from './decide-moment.js';

type ClaimRaised = PhaseEventData<'ClaimRaised'>;

/** A claim whose checks hold, or only wait for these runs. */
interface GuardedClaim {
  readonly subject: ClaimRaised['subject'];
  /** The call that claims a todo. */
  readonly callId?: CallId;
  readonly event: ClaimEvent;
  readonly waitsFor: ClaimRaised['runs'];
}

/** What guards make of a claim: the first refusal, or events that keep it open until their runs have ended. */
type GuardedOutcome = { readonly refusal: GuardRefusal } | { readonly raised: readonly PhaseEvent[] } | undefined;

/**
 * Asks guards about a claim. Pure guards decide once, when the claim is made and its checks hold, or only wait for runs. Command guards are
 * runs of the claim, after its verifiers and before its judges, and decide when all of them have ended. Guards that are judges come last. When
 * nobody objects to the end of a phase, hooks at SessionEnd are told of it.
 */
async function askAboutClaim(commit: PendingCommit, claim: GuardedClaim, parts: GuardParts): Promise<GuardedOutcome> {
  const { subject, callId, event, waitsFor } = claim;
  const open = findOpenClaim(commit.state, callId);
  if (!open) {
    const refusal = await decideWithPureGuards(commit, event, parts);
    if (refusal) return { refusal };
  }
  const added = waitsFor.slice(open?.runs.length ?? 0);
  if (added.some(({ kind }) => kind === 'verifier')) return undefined;
  for (const by of ['command', 'judge'] as const) {
    // The judges that the checks of the claim name come first.
    if (by === 'judge' && added.length > 0) return undefined;
    const { needed, ended } = listClaimGuardRuns(commit.state, by, event, open);
    if (needed.length > 0)
      return { raised: raiseClaim(commit.state, { subject, ...(callId === undefined ? {} : { callId }) }, needed) };
    // They have decided already if the claim was raised once more after their runs.
    if (!ended.some((run) => run.callId === open?.runs.at(-1)?.callId)) continue;
    const refusal = await decideWithRuns(commit, event, by, ended, parts);
    if (refusal) return { refusal };
  }
  if (subject.kind !== 'phase' || added.length > 0) return undefined;
  const { needed } = listClaimGuardRuns(commit.state, 'command', { ...event, point: 'SessionEnd' }, open);
  return needed.length > 0 ? { raised: raiseClaim(commit.state, { subject }, needed) } : undefined;
}

/** Asks guards about the todo that a call claims. Returns the outcome of the call: the same, a refusal, or a claim that is open. */
export async function guardTodoClaim(
  commit: PendingCommit,
  { callId }: AdmittedCall,
  outcome: InlineToolOutcome,
  parts: GuardParts,
): Promise<InlineToolOutcome> {
  if (commit.state.start.terms.guards === undefined) return outcome;
  const claimed = findClaimedTodo(outcome);
  if (!claimed) return outcome;
  const { todoId, waitsFor } = claimed;
  const content = commit.state.todos.list.find(({ id }) => id === todoId)?.content ?? '';
  const event = { point: 'TaskCompleted', callId, todo: { id: todoId, content } } as const;
  const subject = { kind: 'todo', todoId } as const;
  const guarded = await askAboutClaim(commit, { subject, callId, event, waitsFor }, parts);
  if (!guarded) return outcome;
  if ('raised' in guarded) return { content: '', openClaim: guarded.raised };
  const { refusal } = guarded;
  const failures = [buildGuardFailure(refusal)];
  const refused = buildTodoRefusal(commit.state, todoId, { callId, failures, why: renderGuardRefusal(refusal) });
  return { content: '', failure: { code: 'claim_refused', message: refused.data.message }, events: [refused] };
}

function findClaimedTodo({ events = [], openClaim = [] }: InlineToolOutcome) {
  for (const { type, data } of [...openClaim, ...events]) {
    if (type === 'ClaimRaised' && data.subject.kind === 'todo')
      return { todoId: data.subject.todoId, waitsFor: data.runs };
    if (type === 'TodoCompleted') return { todoId: data.todoId, waitsFor: [] };
  }
  return undefined;
}

/** Asks guards about the end that a phase claims. Returns what follows. */
export async function guardPhaseEnd(commit: PendingCommit, advance: Advance, parts: GuardParts): Promise<Advance> {
  const { state } = commit;
  const claimed = state.start.terms.guards === undefined ? undefined : findClaimedEnd(advance);
  if (!claimed) return advance;
  const { outcome, waitsFor } = claimed;
  const event = {
    point: getEndPoint(state.start),
    outcome,
    isRepeated: state.guards.isEndRefusedByGuard === true,
    ...findLastMessage(state),
  };
  const subject = { kind: 'phase', outcome } as const;
  const guarded = await askAboutClaim(commit, { subject, event, waitsFor }, parts);
  if (!guarded) return advance;
  if ('raised' in guarded)
    return { events: [...advance.events.slice(0, claimed.index), ...guarded.raised], next: 'wait' };
  return refuseClaimedEnd(commit.state, advance, claimed, guarded.refusal);
}

function findLastMessage({ conversation }: PhaseState): { readonly lastMessage?: string } {
  const last = conversation.transcript.findLast((entry) => entry.kind === 'answer');
  return last?.kind === 'answer' ? { lastMessage: last.answer.content } : {};
}
