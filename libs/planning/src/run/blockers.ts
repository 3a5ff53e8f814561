import type { Dependency } from '../artifacts/roadmap.js';
import type { Instant } from '../calendar/instant.js';
import { OutlineTree } from '../grammar/outline-tree.js';
import type { ApprovedPlan } from '../artifacts/approved-plan.js';
import type { PlannedItem } from './planned-items.js';
import type { PlanRun } from './plan-run.js';

type Wait = Pick<Dependency, 'from' | 'to' | 'kind'>;

/**
 * Says which tasks have to wait for others. What depends on the end of a node waits for each of its tasks that is planned to end before it begins, and
 * what depends on a start likewise; so a lead, and a round of a recurring task, hold as they were planned. Links between ends do not delay a start.
 */
export class Blockers {
  readonly #waits = new Map<string, Wait[]>();
  /** Of a node: when the first of its tasks that has not ended, or not begun, is planned to end, or to begin. */
  readonly #firstOpenEnd = new Map<string, Instant>();
  readonly #firstOpenStart = new Map<string, Instant>();
  readonly #tree: OutlineTree;

  constructor({ outline, roadmap }: ApprovedPlan, items: readonly PlannedItem[], run: Pick<PlanRun, 'items'>) {
    this.#tree = new OutlineTree(outline);
    const waits = [...roadmap.dependencies, ...listPhaseWaits(roadmap.phases)];
    for (const wait of waits)
      if (wait.kind[1] === 'S') this.#waits.set(wait.to, [...(this.#waits.get(wait.to) ?? []), wait]);
    for (const item of items) {
      const known = run.items[item.id];
      if (known?.status === 'done' || known?.status === 'skipped') continue;
      for (const { id } of this.#listWithAncestors(item)) {
        lower(this.#firstOpenEnd, id, item.end);
        if (!known) lower(this.#firstOpenStart, id, item.start);
      }
    }
  }

  /** Whether a task has to wait for another one. */
  isBlocked(item: PlannedItem): boolean {
    return this.#listWithAncestors(item).some(({ id }) =>
      (this.#waits.get(id) ?? []).some(({ from, kind }) => {
        const open = kind === 'FS' ? this.#firstOpenEnd : this.#firstOpenStart;
        return (open.get(from) ?? Infinity) <= item.start;
      }),
    );
  }

  /** Nodes on which a task depends directly. */
  listSources(item: PlannedItem): readonly string[] {
    return this.#listWithAncestors(item).flatMap(({ id }) => (this.#waits.get(id) ?? []).map(({ from }) => from));
  }

  /** Whether a task belongs to a node. */
  isIn(item: PlannedItem, node: string): boolean {
    return this.#listWithAncestors(item).some(({ id }) => id === node);
  }

  #listWithAncestors({ node }: PlannedItem) {
    return [node, ...this.#tree.listAncestors(node)];
  }
}

/** A phase that may not overlap begins when the one before it has ended. */
function listPhaseWaits(phases: ApprovedPlan['roadmap']['phases']): readonly Wait[] {
  return phases.flatMap(({ node, mayOverlap }, index) => {
    const before = phases[index - 1];
    return mayOverlap || !before ? [] : [{ from: before.node, to: node, kind: 'FS' as const }];
  });
}

function lower(map: Map<string, Instant>, id: string, value: Instant): void {
  map.set(id, Math.min(map.get(id) ?? Infinity, value));
}
