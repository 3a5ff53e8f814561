import { findContradictions } from '../network/find-contradictions.js';
import { findCycle } from '../network/find-cycle.js';
import { computeEarliest } from '../network/forward-pass.js';
import { findFixedConflict } from './find-fixed-conflict.js';
import { findOverload } from './find-overload.js';
import type { FlatProblem } from './flat-problem.js';
import { createInstance, type Instance, toNetwork } from './instance.js';
import type { Proof } from './schedule.js';
import { priorityRules, type SearchBudget, searchOrders, type SearchResult } from './search-orders.js';
import { listSlots } from './slots.js';

export type Decision =
  | { readonly kind: 'feasible'; readonly instance: Instance; readonly found: Extract<SearchResult, { kind: 'found' }> }
  | { readonly kind: 'infeasible'; readonly proof: Proof }
  | { readonly kind: 'undecided' };

/**
 * Decides whether a problem has a schedule. First come the arguments that are found without a search, then the priority rules, then the search through
 * all orders within the budget. With up to MAX_EXHAUSTIVE_TASKS movable tasks the answer is never `undecided`.
 */
export function decideProblem(problem: FlatProblem, budget: SearchBudget): Decision {
  const ids = problem.tasks.map(({ id }) => id);
  const cycle = findCycle(ids, problem.links);
  if (cycle) return { kind: 'infeasible', proof: { conflict: cycle, argument: { kind: 'cycle', cycle } } };
  const slots = listSlots(problem);
  const proof = findFixedConflict(problem) ?? findChain(problem) ?? findOverload(problem, slots);
  if (proof) return { kind: 'infeasible', proof };
  const instance = createInstance(problem, slots);
  const result = searchAll(instance, budget);
  switch (result.kind) {
    case 'found':
      return { kind: 'feasible', instance, found: result };
    case 'refuted':
      return {
        kind: 'infeasible',
        proof: { conflict: ids, argument: { kind: 'every_order', refuted: result.refuted } },
      };
    case 'limit':
      return { kind: 'undecided' };
  }
}

/** Tries the first order of each rule. Returns `undefined` if each comes too late for some task. */
function searchByRules(instance: Instance, budget: SearchBudget): Extract<SearchResult, { kind: 'found' }> | undefined {
  for (const rule of priorityRules) {
    const result = searchOrders(instance, rule, budget, false);
    if (result.kind === 'found') return result;
  }
  return undefined;
}

function searchAll(instance: Instance, budget: SearchBudget): SearchResult {
  return searchByRules(instance, budget) ?? searchOrders(instance, priorityRules[0]!, budget, true);
}

function findChain(problem: FlatProblem): Proof | undefined {
  const network = toNetwork(problem);
  const [first] = findContradictions(network, computeEarliest(network));
  return first && { conflict: [...new Set(first.chain)], argument: { kind: 'chain', late: first.task } };
}
