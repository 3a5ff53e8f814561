import {
  buildCheckInput,
  evaluateTodoClaim,
  findOpenClaim,
  listNeededTexts,
  listTodoChecks,
  raiseClaim,
  readRunOutcomes,
  renderRefusal,
  type CheckEvidence,
  type PhaseEvent,
  type Todo,
} from '@phaseline/domain';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';

/** Size in bytes up to which a file is read for a check. */
const MAX_CHECKED_BYTES = 8 * 1024 * 1024;

type TodoClaim =
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
export async function claimTodo({ state, callId, workspace }: InlineToolContext, todo: Todo): Promise<TodoClaim> {
  // Phases that began before claims were checked keep their rules.
  if (state.start.plan.claimRules === undefined && todo.outputs === undefined) return { evidence: [], accepted: [] };
  const needed = [...listNeededTexts(listTodoChecks(todo), state)].filter(
    ([, path]) => state.tree[path]!.size <= MAX_CHECKED_BYTES,
  );
  const contents = await workspace.readAll(needed.map(([, path]) => path));
  const decoder = new TextDecoder();
  const texts = new Map(needed.map(([hash, path]) => [hash, decoder.decode(contents.get(path))]));
  const open = findOpenClaim(state, callId);
  const result = evaluateTodoClaim(state, todo, callId, buildCheckInput(state, texts, readRunOutcomes(state, open)));
  const subject = { kind: 'todo' as const, todoId: todo.id };
  const named = open ? { claim: open.claim } : {};
  switch (result.kind) {
    case 'holds':
      return {
        evidence: result.evidence,
        accepted: open ? [{ type: 'ClaimAccepted', data: { claim: open.claim, subject, callId } }] : [],
      };
    case 'open':
      return { unsettled: { content: '', openClaim: raiseClaim(state, { subject, callId }, result.runs) } };
    case 'fails': {
      const message = renderRefusal(todo, result.failures);
      const data = {
        ...named,
        subject,
        callId,
        failures: [...result.failures],
        message,
        inARow: (state.guards.refusals.todo ?? 0) + 1,
      };
      const events: readonly PhaseEvent[] = [{ type: 'ClaimRefused', data }];
      return { unsettled: { content: '', failure: { code: 'claim_refused', message }, events } };
    }
  }
}
