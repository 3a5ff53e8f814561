import type { OutlineNode } from '../artifacts/plan-outline.js';
import type { Dependency, Roadmap } from '../artifacts/roadmap.js';
import type { OutlineTree } from '../grammar/outline-tree.js';
import { groupLinks, type Link } from '../network/network.js';

const EXACT: Pick<Link, 'lag' | 'unit'> = { lag: 0, unit: 'working' };

/**
 * The links of a plan. A container (a node with others in it) has milestones of zero minutes as its start and its end where something depends on
 * them, so that the number of links stays small: everything in it begins after its start, and its end comes after everything in it.
 */
export class PlanGraph {
  readonly #links: Link[] = [];
  readonly #roundLinks: Link[] = [];
  readonly #hubs = new Set<string>();
  readonly #leaves = new Map<string, readonly string[]>();
  readonly #ranks: ReadonlyMap<string, number>;

  constructor(
    private readonly tree: OutlineTree,
    roadmap: Roadmap,
    private readonly workingDayMinutes: number,
  ) {
    this.#ranks = new Map(roadmap.phases.flatMap(({ tasks }) => tasks).map((id, index) => [id, index]));
    this.#addPhases(roadmap);
    const isOpenEnded = (dependency: Dependency) => this.#listChoices(dependency).some(({ length }) => length > 1);
    for (const dependency of roadmap.dependencies) if (!isOpenEnded(dependency)) this.#addDependency(dependency);
    // What these wait for is chosen, so that all other links have to be known.
    for (const dependency of roadmap.dependencies) if (isOpenEnded(dependency)) this.#addDependency(dependency);
  }

  get links(): readonly Link[] {
    return this.#links;
  }

  /**
   * Links between tasks that recur together, by the rule of the same node: they hold in each round, and so between the first occurrences. The engine
   * would read them as links from the last occurrence to the first.
   */
  get roundLinks(): readonly Link[] {
    return this.#roundLinks;
  }

  /** Ids of the milestones that stand for starts and ends of containers. */
  get hubs(): readonly string[] {
    return [...this.#hubs];
  }

  /** The tasks of a node in the order of the roadmap; of a task, itself. */
  listLeaves(id: string): readonly string[] {
    const known = this.#leaves.get(id);
    if (known) return known;
    const children = this.tree.listChildren(id);
    const found = children.length === 0 ? [id] : children.flatMap((child) => this.listLeaves(child.id));
    const sorted = found.toSorted((one, other) => (this.#ranks.get(one) ?? 0) - (this.#ranks.get(other) ?? 0));
    this.#leaves.set(id, sorted);
    return sorted;
  }

  /** Id of a milestone that comes after everything in a node. A milestone of the outline (L2) is that itself. */
  requireEnd(node: OutlineNode): string {
    const hub = node.level === 'L2' ? node.id : `${node.id}@end`;
    if (!this.#hubs.has(hub)) {
      this.#hubs.add(hub);
      for (const from of this.listLeaves(node.id)) this.#links.push({ from, to: hub, kind: 'FS', ...EXACT });
    }
    return hub;
  }

  #requireStart({ id }: OutlineNode): string {
    const hub = `${id}@start`;
    if (!this.#hubs.has(hub)) {
      this.#hubs.add(hub);
      for (const to of this.listLeaves(id)) this.#links.push({ from: hub, to, kind: 'FS', ...EXACT });
    }
    return hub;
  }

  #addPhases({ phases }: Roadmap): void {
    for (const [index, { node, mayOverlap }] of phases.entries()) {
      const before = phases[index - 1];
      if (mayOverlap || before === undefined) continue;
      this.#links.push({ from: this.#findEnd(before.node), to: this.#findStart(node), kind: 'FS', ...EXACT });
    }
  }

  #addDependency(dependency: Dependency): void {
    const { from, to, kind, lag } = dependency;
    const unit = lag.time;
    const minutes = lag.amount * this.#getMinutesPer(lag);
    if (this.#recursTogether(from, to)) {
      for (const first of this.listLeaves(from))
        for (const last of this.listLeaves(to))
          this.#roundLinks.push({ from: first, to: last, kind, lag: minutes, unit });
      return;
    }
    const [starts, ends] = this.#listChoices(dependency);
    const source = kind[0] === 'F' ? this.#findEnd(from) : undefined;
    const target = kind[1] === 'S' ? this.#findStart(to) : undefined;
    const [first, last] = this.#choose(source ? [source] : starts, target ? [target] : ends);
    this.#links.push({ from: first, to: last, kind, lag: minutes, unit });
  }

  #recursTogether(from: string, to: string): boolean {
    const owners = new Set([from, to].flatMap((id) => this.listLeaves(id)).map((id) => this.#findRuleOwner(id)));
    return owners.size === 1 && !owners.has(undefined);
  }

  #findRuleOwner(id: string): string | undefined {
    const node = this.tree.find(id)!;
    if (this.tree.findRecurrence(node) === undefined) return undefined;
    return [node, ...this.tree.listAncestors(node)].find(({ recurrence }) => recurrence !== undefined)?.id;
  }

  #getMinutesPer({ unit, time }: Dependency['lag']): number {
    if (unit === 'minutes') return 1;
    if (unit === 'hours') return 60;
    return time === 'working' ? this.workingDayMinutes : 24 * 60;
  }

  /**
   * Tasks that can stand for the start of the predecessor and for the end of the successor. A container starts with any of its tasks and ends with any
   * of them; links cannot say "any", so that one is chosen, which is stricter.
   */
  #listChoices({ from, to, kind }: Dependency): readonly [readonly string[], readonly string[]] {
    return [kind[0] === 'S' ? this.listLeaves(from) : [], kind[1] === 'F' ? this.listLeaves(to).toReversed() : []];
  }

  /** The first pair that closes no cycle; the first of all if each does. */
  #choose(sources: readonly string[], targets: readonly string[]): readonly [string, string] {
    for (const target of targets) {
      const reached = this.#listReachable(target);
      const source = sources.find((id) => !reached.has(id));
      if (source !== undefined) return [source, target];
    }
    return [sources[0]!, targets[0]!];
  }

  #listReachable(id: string): ReadonlySet<string> {
    const outgoing = groupLinks(this.#links, 'from');
    const reached = new Set([id]);
    for (const next of reached) for (const { to } of outgoing.get(next) ?? []) reached.add(to);
    return reached;
  }

  /** A container with one task begins and ends with it. */
  #findEnd(id: string): string {
    const leaves = this.listLeaves(id);
    const node = this.tree.find(id)!;
    return leaves.length === 1 && node.level !== 'L2' ? leaves[0]! : this.requireEnd(node);
  }

  #findStart(id: string): string {
    const leaves = this.listLeaves(id);
    return leaves.length === 1 ? leaves[0]! : this.#requireStart(this.tree.find(id)!);
  }
}
