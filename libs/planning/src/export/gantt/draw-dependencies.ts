import type { Dependency } from '../../artifacts/roadmap.js';
import type { OutlineTree } from '../../grammar/outline-tree.js';
import type { Row } from './list-rows.js';
import { round } from './svg-text.js';
import type { TimeScale } from './time-scale.js';

/** Pixels between a bar and the vertical part of an arrow. */
const DISTANCE = 7;

/** A row and the middle of it. */
export interface PlacedRow {
  readonly row: Row;
  readonly y: number;
}

interface Anchor {
  readonly x: number;
  readonly y: number;
  readonly isCritical: boolean;
}

/** Draws the dependencies of a roadmap as arrows with right angles, from the end of the predecessor that counts to that of the successor. */
export function drawDependencies(
  dependencies: readonly Dependency[],
  tree: OutlineTree,
  rows: readonly PlacedRow[],
  scale: TimeScale,
): string {
  const byId = new Map(rows.map((placed) => [placed.row.node.id, placed]));
  return dependencies
    .map(({ from, to, kind }) => {
      const source = findAnchor(from, kind[0] === 'S', { tree, byId, scale });
      const target = findAnchor(to, kind[1] === 'S', { tree, byId, scale });
      return source && target ? drawArrow(source, target, kind) : '';
    })
    .join('');
}

/** Where an arrow begins or ends. A container without a row of its own has the times of what is in it. */
function findAnchor(
  id: string,
  isStart: boolean,
  {
    tree,
    byId,
    scale,
  }: { readonly tree: OutlineTree; readonly byId: ReadonlyMap<string, PlacedRow>; readonly scale: TimeScale },
): Anchor | undefined {
  const own = byId.get(id);
  // A milestone is drawn at its end; it starts with its first task.
  const isWhole = own && !(own.row.kind === 'milestone' && isStart);
  const inside = isWhole ? [own] : listInside(tree, id).flatMap((one) => byId.get(one) ?? []);
  const getTime = ({ row: { span } }: PlacedRow) => (isStart ? span.start : -span.end);
  const found = inside.toSorted((one, other) => getTime(one) - getTime(other))[0];
  if (!found) return undefined;
  const { span, kind, isCritical } = found.row;
  const x = scale.getX(isStart ? span.start : span.end);
  return { x: kind === 'milestone' ? x + 7 : x, y: found.y, isCritical };
}

function listInside(tree: OutlineTree, id: string): readonly string[] {
  return tree.listChildren(id).flatMap((child) => [child.id, ...listInside(tree, child.id)]);
}

function drawArrow(from: Anchor, to: Anchor, kind: Dependency['kind']): string {
  const [x1, x2] = [round(from.x), round(to.x)];
  const isCritical = from.isCritical && to.isCritical;
  const head = `<path class="${isCritical ? 'arrow critical' : 'arrow'}" marker-end="url(#gantt-head${isCritical ? '-critical' : ''})" d="M${x1} ${from.y}`;
  return `${head}${buildPath(x1, x2, { from, to, kind })}"/>`;
}

/** The path after its beginning. It leaves and reaches an end of a bar on its outer side. */
function buildPath(
  x1: number,
  x2: number,
  { from, to, kind }: { readonly from: Anchor; readonly to: Anchor; readonly kind: Dependency['kind'] },
): string {
  const out = kind[0] === 'S' ? -DISTANCE : DISTANCE;
  const into = kind[1] === 'S' ? -DISTANCE : DISTANCE;
  // Both ends on the same side: around the outer one.
  if (out === into) return `H${round(out < 0 ? Math.min(x1, x2) + out : Math.max(x1, x2) + out)}V${to.y}H${x2}`;
  const isAhead = out > 0 ? x2 + into >= x1 + out : x2 + into <= x1 + out;
  if (isAhead) return `H${round(x1 + out)}V${to.y}H${x2}`;
  // Between the rows, since the direct way would cross the bars.
  const between = to.y + (to.y > from.y ? -12 : 12);
  return `H${round(x1 + out)}V${between}H${round(x2 + into)}V${to.y}H${x2}`;
}
