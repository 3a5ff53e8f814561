import { toNodeKind } from '../artifacts/node-kind.js';
import type { OutlineNode, PlanOutline } from '../artifacts/plan-outline.js';

/** An outline as a tree. Of nodes with equal ids, the first counts. */
export class OutlineTree {
  readonly nodes: readonly OutlineNode[];
  /** Members of cycles of parents, per cycle in the order of the outline. */
  readonly cycles: readonly (readonly OutlineNode[])[];
  readonly #byId = new Map<string, OutlineNode>();
  readonly #indexes = new Map<string, number>();
  readonly #children = new Map<string | null, OutlineNode[]>();
  readonly #cyclic: ReadonlySet<string>;

  constructor({ nodes }: PlanOutline) {
    for (const [index, node] of nodes.entries()) {
      if (this.#byId.has(node.id)) continue;
      this.#byId.set(node.id, node);
      this.#indexes.set(node.id, index);
      const siblings = this.#children.get(node.parent) ?? [];
      this.#children.set(node.parent, siblings);
      siblings.push(node);
    }
    this.nodes = [...this.#byId.values()];
    this.cycles = this.#findCycles();
    this.#cyclic = new Set(this.cycles.flat().map(({ id }) => id));
  }

  find(id: string): OutlineNode | undefined {
    return this.#byId.get(id);
  }

  /** Index of the node in the list of the outline. */
  indexOf(node: OutlineNode): number {
    return this.#indexes.get(node.id)!;
  }

  findParent(node: OutlineNode): OutlineNode | undefined {
    return node.parent === null ? undefined : this.#byId.get(node.parent);
  }

  listChildren(id: string): readonly OutlineNode[] {
    return this.#children.get(id) ?? [];
  }

  isInCycle(node: OutlineNode): boolean {
    return this.#cyclic.has(node.id);
  }

  /** What is scheduled: L3 and L4 nodes that contain nothing. */
  listTasks(): readonly OutlineNode[] {
    return this.nodes.filter((node) => isTaskLevel(node) && this.listChildren(node.id).length === 0);
  }

  /** Ancestors of a node, nearest first. In a cycle, each member once. */
  listAncestors(node: OutlineNode): readonly OutlineNode[] {
    const ancestors: OutlineNode[] = [];
    const seen = new Set([node.id]);
    for (let next = this.findParent(node); next !== undefined && !seen.has(next.id); next = this.findParent(next)) {
      seen.add(next.id);
      ancestors.push(next);
    }
    return ancestors;
  }

  /** The L1 node that contains a node, or the node itself. `undefined` if its ancestors do not reach an L1 node. */
  findPhase(node: OutlineNode): OutlineNode | undefined {
    return [node, ...this.listAncestors(node)].find(({ level }) => level === 'L1');
  }

  /** Rule by which a node is repeated: its own, or that of the nearest ancestor if it recurs. */
  findRecurrence(node: OutlineNode): string | undefined {
    if (node.recurrence !== undefined || node.time !== 'recurring') return node.recurrence;
    return this.listAncestors(node).find(({ recurrence }) => recurrence !== undefined)?.recurrence;
  }

  #findCycles(): readonly (readonly OutlineNode[])[] {
    const walkOf = new Map<string, number>();
    const cycles: OutlineNode[][] = [];
    for (const [walk, start] of this.nodes.entries()) {
      let node: OutlineNode | undefined = start;
      while (node !== undefined && !walkOf.has(node.id)) {
        walkOf.set(node.id, walk);
        node = this.findParent(node);
      }
      // A walk that meets itself has found a new cycle; one that meets an earlier walk has not.
      if (node !== undefined && walkOf.get(node.id) === walk) cycles.push([node, ...this.listAncestors(node)]);
    }
    return cycles.map((cycle) => cycle.toSorted((one, other) => this.indexOf(one) - this.indexOf(other)));
  }
}

/** Whether nodes of the level are work: tasks and actions. */
export function isTaskLevel({ level }: Pick<OutlineNode, 'level'>): boolean {
  return level === 'L3' || level === 'L4';
}

/** Describes a node in a message. */
export function describeNode(node: OutlineNode): string {
  return `${node.id} (${toNodeKind(node)})`;
}
