import { DIFF_REVIEW, evaluateChecks, type Check, type CheckInput } from '@phaseline/checks';
import type { PhaseState } from '../phase/phase-state.js';
import type { OutputRules } from '../todo/planned-outputs.js';
import { checkTodosFile, type TodosFileResult } from '../todo/todos-file.js';
import { buildCheckInput, type ClaimTexts } from './claim-input.js';

const NO_LIMITS = { min: 0, max: Infinity };

/** Checks a plan by the rules of the phase that writes it. `texts` are those that the checks of the plan need. */
export function checkPlan(state: PhaseState, text: string | undefined, texts: ClaimTexts): TodosFileResult {
  const { limits, obligations } = state.start.plan;
  return checkTodosFile(text, limits, obligations, buildOutputRules(state, texts));
}

/** The checks of a plan, as far as they can be read. */
export function listPlannedChecks(text: string | undefined): readonly Check[] {
  const read = checkTodosFile(text, NO_LIMITS);
  return read.ok ? read.plan.todos.flatMap(({ outputs = [] }) => outputs) : [];
}

/** The rules for the outputs of the phase that is planned; none in phases that began before plans had outputs. */
function buildOutputRules(state: PhaseState, texts: ClaimTexts): OutputRules | undefined {
  return buildRules(state, {
    ...buildCheckInput(state, texts),
    // The phase that is planned begins now: no call has ended, and no file has changed.
    hashAt: (_since, path) => findHash(state.tree, path),
    calls: [],
    todoFrom: 0,
    lastWrite: () => undefined,
  });
}

/** The rules for the outputs of a todo that is added to the running phase: what the phase has done so far proves no work on it. */
export function buildAddedRules(state: PhaseState, texts: ClaimTexts): OutputRules | undefined {
  const input = buildCheckInput(state, texts);
  return buildRules(state, {
    ...input,
    hashAt: (since, path) => (since === 'todo' ? findHash(state.tree, path) : input.hashAt(since, path)),
    todoFrom: Infinity,
  });
}

function buildRules({ start }: PhaseState, input: CheckInput): OutputRules | undefined {
  const { plan, terms } = start;
  if (plan.claimRules !== 2) return undefined;
  return {
    required: plan.limits.requireOutputs ?? false,
    known: {
      verifier: terms.verifiers ?? [],
      judge: [...new Set([...Object.keys(terms.judges ?? {}), DIFF_REVIEW])],
      jsonSchema: Object.keys(terms.schemas ?? {}),
    },
    holdsAlready: (check) => evaluateChecks([check], input).kind === 'holds',
  };
}

function findHash(tree: PhaseState['tree'], path: string): string | undefined {
  return Object.hasOwn(tree, path) ? tree[path]!.hash : undefined;
}
