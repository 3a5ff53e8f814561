import {
  buildCheckInput,
  evaluateTodoClaim,
  listNeededTexts,
  listTodoChecks,
  renderRefusal,
  type CheckEvidence,
  type Todo,
} from '@phaseline/domain';
import type { InlineToolContext, InlineToolOutcome } from '@phaseline/tools';

/** Size in bytes up to which a file is read for a check. */
const MAX_CHECKED_BYTES = 8 * 1024 * 1024;

type TodoClaim = { readonly evidence: readonly CheckEvidence[] } | { readonly refusal: InlineToolOutcome };

/** Checks whether a todo is done. Returns the evidence, or the outcome of a call whose claim is refused. */
export async function claimTodo({ state, callId, workspace }: InlineToolContext, todo: Todo): Promise<TodoClaim> {
  // Phases that began before claims were checked keep their rules.
  if (state.start.plan.claimRules === undefined) return { evidence: [] };
  const needed = [...listNeededTexts(listTodoChecks(todo), state)].filter(
    ([, path]) => state.tree[path]!.size <= MAX_CHECKED_BYTES,
  );
  const contents = await workspace.readAll(needed.map(([, path]) => path));
  const decoder = new TextDecoder();
  const texts = new Map(needed.map(([hash, path]) => [hash, decoder.decode(contents.get(path))]));
  const result = evaluateTodoClaim(state, todo, callId, buildCheckInput(state, texts));
  if (result.kind === 'holds') return { evidence: result.evidence };
  if (result.kind === 'open') throw new Error('verifiers are not run yet');
  const message = renderRefusal(todo, result.failures);
  const data = {
    subject: { kind: 'todo' as const, todoId: todo.id },
    callId,
    failures: [...result.failures],
    message,
    inARow: (state.guards.refusals.todo ?? 0) + 1,
  };
  return {
    refusal: { content: '', failure: { code: 'claim_refused', message }, events: [{ type: 'ClaimRefused', data }] },
  };
}
