import type { FlatTask } from './flat-problem.js';
import { computeBounds, getFixedTimes, type Instance, type Times, tryPlace } from './instance.js';
import { type Cursor, FIRST_CURSOR, type Placement } from './place-task.js';
import type { RefutedOrder } from './schedule.js';

/** Number of movable tasks up to which every order is tried, whatever the limit: 8! orders take well under a second. */
export const MAX_EXHAUSTIVE_TASKS = 8;

export type SearchResult =
  | { readonly kind: 'found'; readonly order: readonly string[]; readonly placements: ReadonlyMap<string, Placement> }
  | { readonly kind: 'refuted'; readonly refuted: readonly RefutedOrder[] }
  | { readonly kind: 'limit' };

/** Number of placements that are left to try. It is shared by the searches for one answer. */
export interface SearchBudget {
  left: number;
}

/** Which of the tasks that could be next is taken first: a smaller key is better. */
export type PriorityRule = (candidate: Candidate, instance: Instance) => readonly number[];

/** A task whose predecessors are placed, and what they allow. It stays the same until it is placed. */
interface Eligible {
  readonly task: FlatTask;
  readonly bounds: Times;
}

interface Candidate extends Eligible {
  readonly placement: Placement;
  /** Whether no other task that could be next begins earlier. */
  readonly isReady: boolean;
}

const getLatest = ({ task }: Candidate, { latestEnd }: Instance) => latestEnd.get(task.id)!;

/** Tried one after another, each without going back. */
export const priorityRules: readonly PriorityRule[] = [
  (candidate, instance) => [candidate.isReady ? 0 : 1, getLatest(candidate, instance), candidate.placement.end],
  (candidate, instance) => [getLatest(candidate, instance), candidate.placement.end],
  (candidate, instance) => [candidate.placement.end, getLatest(candidate, instance)],
];

/**
 * Searches an order of the movable tasks that meets all dates. An order is given up as soon as some task that could be next would be too late, because
 * each task that is placed before it makes it later. `canGoBack` false: only the first order by the rule is tried, and the answer is `limit`
 * if it fails.
 */
export function searchOrders(
  instance: Instance,
  rule: PriorityRule,
  budget: SearchBudget,
  canGoBack: boolean,
): SearchResult {
  return new OrderSearch(instance, rule, budget, canGoBack).run();
}

class OrderSearch {
  private readonly times: Map<string, Times>;
  private readonly pending: Map<string, number>;
  private readonly placements = new Map<string, Placement>();
  private readonly order: string[] = [];
  private readonly refuted: RefutedOrder[] = [];
  private readonly isUnlimited: boolean;

  constructor(
    private readonly instance: Instance,
    private readonly rule: PriorityRule,
    private readonly budget: SearchBudget,
    private readonly canGoBack: boolean,
  ) {
    this.times = getFixedTimes(instance);
    this.pending = new Map(instance.pending);
    this.isUnlimited = canGoBack && instance.movable.length <= MAX_EXHAUSTIVE_TASKS;
  }

  run(): SearchResult {
    const first = this.instance.movable.filter(({ id }) => this.pending.get(id) === 0);
    const kind = this.visit(
      FIRST_CURSOR,
      first.map((task) => this.open(task)),
    );
    if (kind === 'found') return { kind, order: this.order, placements: this.placements };
    return kind === 'refuted' ? { kind, refuted: this.refuted } : { kind };
  }

  private visit(cursor: Cursor, eligible: readonly Eligible[]): SearchResult['kind'] {
    if (eligible.length === 0) return 'found';
    this.budget.left -= eligible.length;
    if (this.budget.left < 0 && !this.isUnlimited) return 'limit';
    const candidates = collectCandidates(this.instance, eligible, cursor);
    if (typeof candidates === 'string') {
      this.refuted.push({ order: [...this.order], late: candidates });
      return this.canGoBack ? 'refuted' : 'limit';
    }
    for (const { task, placement } of sortCandidates(candidates, this.rule, this.instance)) {
      const opened = this.place(task, placement);
      const result = this.visit(placement.cursor, [...eligible.filter((other) => other.task !== task), ...opened]);
      if (result !== 'refuted') return result;
      this.remove(task);
    }
    return 'refuted';
  }

  private open(task: FlatTask): Eligible {
    return { task, bounds: computeBounds(this.instance, task, this.times) };
  }

  /** Records a placement and returns the tasks that can be next because of it. */
  private place(task: FlatTask, placement: Placement): readonly Eligible[] {
    const { instance, pending } = this;
    this.times.set(task.id, placement);
    this.placements.set(task.id, placement);
    this.order.push(task.id);
    return (instance.successors.get(task.id) ?? []).flatMap(({ to }) => {
      pending.set(to, pending.get(to)! - 1);
      return pending.get(to) === 0 ? [this.open(instance.byId.get(to)!)] : [];
    });
  }

  private remove({ id }: FlatTask): void {
    this.times.delete(id);
    this.placements.delete(id);
    this.order.pop();
    for (const { to } of this.instance.successors.get(id) ?? []) this.pending.set(to, this.pending.get(to)! + 1);
  }
}

/** Places each task that could be next; returns the id of one that is too late instead. */
function collectCandidates(
  instance: Instance,
  eligible: readonly Eligible[],
  cursor: Cursor,
): readonly Candidate[] | string {
  const placed: Omit<Candidate, 'isReady'>[] = [];
  for (const { task, bounds } of eligible) {
    const placement = tryPlace(instance, task, cursor, bounds);
    if (!placement) return task.id;
    placed.push({ task, bounds, placement });
  }
  const soonest = Math.min(...placed.map(({ placement }) => placement.start));
  return placed.map((candidate) => ({ ...candidate, isReady: candidate.placement.start === soonest }));
}

function sortCandidates(
  candidates: readonly Candidate[],
  rule: PriorityRule,
  instance: Instance,
): readonly Candidate[] {
  const keyed = candidates.map((candidate) => ({ candidate, key: rule(candidate, instance) }));
  const compare = (a: readonly number[], b: readonly number[]) => {
    const index = a.findIndex((value, at) => value !== b[at]);
    return index < 0 ? 0 : a[index]! - b[index]!;
  };
  return keyed.sort((a, b) => compare(a.key, b.key)).map(({ candidate }) => candidate);
}
