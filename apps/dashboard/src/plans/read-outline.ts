import { readCount, readList, readObject, readString, type UntypedData } from '@phaseline/client';

/** What the screen shows of a node of an outline. */
export interface OutlineNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly level: string;
  readonly time: string;
  readonly title: string;
  readonly estimateMinutes: number | undefined;
  readonly endCriterion: string | undefined;
  readonly agent: string | undefined;
  readonly recurrence: string | undefined;
  /** Such as `km: 5 → 10 → 21`. */
  readonly measure: string | undefined;
}

/** A node with the nodes that it contains. */
export interface OutlineBranch {
  readonly node: OutlineNode;
  readonly parts: readonly OutlineBranch[];
}

/** Reads the nodes of an outline, whose shape may be that of another release: what is missing is left out. */
export function readOutline(outline: UntypedData): readonly OutlineNode[] {
  return readList(outline, 'nodes').map((node) => ({
    id: readString(node, 'id') ?? '',
    parent: readString(node, 'parent'),
    level: readString(node, 'level') ?? '',
    time: readString(node, 'time') ?? '',
    title: readString(node, 'title') ?? '',
    estimateMinutes: readCount(node, 'estimateMinutes'),
    endCriterion: readString(node, 'endCriterion'),
    agent: readString(node, 'agent'),
    recurrence: readString(node, 'recurrence'),
    measure: describeMeasure(readObject(node, 'measure')),
  }));
}

function describeMeasure(measure: UntypedData): string | undefined {
  const unit = readString(measure, 'unit');
  if (unit === undefined) return undefined;
  const targets = readList(measure, 'targets').flatMap((target) => readCount(target, 'value') ?? []);
  return `${unit}: ${[readCount(measure, 'from') ?? 0, ...targets].join(' → ')}`;
}

/**
 * Builds the tree of an outline. A draft that is not valid yet may have nodes whose parent is missing, or that contain one another: those are roots, so
 * that each node is in the tree once.
 */
export function buildOutlineTree(nodes: readonly OutlineNode[]): readonly OutlineBranch[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const placed = new Set<OutlineNode>();
  const build = (node: OutlineNode): OutlineBranch => {
    placed.add(node);
    const parts = nodes.filter((part) => part.parent === node.id && !placed.has(part));
    return { node, parts: parts.flatMap((part) => (placed.has(part) ? [] : [build(part)])) };
  };
  const roots = nodes.filter(({ parent }) => parent === undefined || !ids.has(parent)).map(build);
  const rest = nodes.flatMap((node) => (placed.has(node) ? [] : [build(node)]));
  return [...roots, ...rest];
}
