import type { CheckEvidence } from '@phaseline/checks';
import {
  buildCheckInput,
  buildTodoRefusal,
  evaluateTodoClaim,
  findOpenClaim,
  listTodoChecks,
  raiseClaim,
  readRunOutcomes,
  type PhaseEvent,
  type Todo,
} from '@phaseline/domain';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';
import { readClaimTexts } from '@phaseline/workspace';

type ClaimResult =
  | {
      readonly evidence: readonly CheckEvidence[];
      /** Accepts a claim that was open. */
      readonly accepted: readonly PhaseEvent[];
    }
  /** The outcome of the call while its claim is open or because it is refused. */
  | { readonly unsettled: InlineToolOutcome };

/**
 * Checks whether a todo is done. Returns the evidence, or the outcome of a call whose claim is refused or has to wait until verifiers
 * and judges have ended.
 */
export async function claimTodo(
  { state, callId, workspace }: InlineToolContext,
  todo: Todo,
  { proposesEnd = false }: { readonly proposesEnd?: boolean } = {},
): Promise<ClaimResult> {
  // Phases that began before claims were checked keep their rules.
  if (state.start.plan.claimRules === undefined && todo.outputs === undefined) return { evidence: [], accepted: [] };
  const texts = await readClaimTexts(listTodoChecks(state, todo, proposesEnd), state, workspace);
  const open = findOpenClaim(state, callId);
  const result = evaluateTodoClaim(
    state,
    { todo, callId, proposesEnd },
    buildCheckInput(state, texts, readRunOutcomes(state, open)),
  );
  const subject = { kind: 'todo' as const, todoId: todo.id };
  switch (result.kind) {
    case 'holds':
      return {
        evidence: result.evidence,
        accepted: open ? [{ type: 'ClaimAccepted', data: { claim: open.claim, subject, callId } }] : [],
      };
    case 'open':
      return { unsettled: { content: '', openClaim: raiseClaim(state, { subject, callId }, result.runs) } };
    case 'fails': {
      const refusal = buildTodoRefusal(state, todo.id, { callId, failures: result.failures });
      const failure = { code: 'claim_refused', message: refusal.data.message };
      return { unsettled: { content: '', failure, events: [refusal] } };
    }
  }
}
