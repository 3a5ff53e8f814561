import { Graph, layout } from '@dagrejs/dagre';
import type { JobWorkflow } from '@phaseline/client';

export interface WorkflowLayout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly title: string;
    readonly kind: 'strategic' | 'tactical' | 'end';
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  readonly edges: readonly {
    readonly key: string;
    /** Path of SVG. */
    readonly path: string;
    readonly label: { readonly x: number; readonly y: number; readonly text: string };
    readonly title: string;
  }[];
}

const NODE_HEIGHT = 28;
const CHARACTER_WIDTH = 7;
const MARGIN = 8;

interface EdgeName {
  readonly v: string;
  readonly w: string;
  readonly name?: string;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Places the states of a workflow from top to bottom. Ends of the job are nodes, too: one per way to end. */
export function layOutWorkflow(workflow: JobWorkflow): WorkflowLayout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 28, ranksep: 34, edgesep: 14, marginx: MARGIN, marginy: MARGIN });
  const ends = [...new Set(workflow.transitions.flatMap(({ to, end }) => (to === undefined ? [end ?? 'end'] : [])))];
  const nodes = [
    ...workflow.states.map(({ name, title, kind }) => ({ name, title, kind })),
    ...ends.map((end) => ({ name: `end:${end}`, title: end, kind: 'end' as const })),
  ];
  for (const { name, title } of nodes)
    graph.setNode(name, { width: title.length * CHARACTER_WIDTH + 24, height: NODE_HEIGHT });
  workflow.transitions.forEach(({ from, outcome, to, end }, at) => {
    const label = { width: outcome.length * 6, height: 14, labelpos: 'c' };
    graph.setEdge(from, to ?? `end:${end ?? 'end'}`, label, String(at));
  });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  // The size that dagre computes leaves out edges from a state to itself.
  const points = graph.edges().flatMap((edge: EdgeName) => (graph.edge(edge) as { points: readonly Point[] }).points);
  const right = Math.max(width, ...points.map(({ x }: Point) => x + MARGIN));
  const bottom = Math.max(height, ...points.map(({ y }: Point) => y + MARGIN));
  return {
    width: Math.ceil(right),
    height: Math.ceil(bottom),
    nodes: nodes.map((node) => ({
      ...node,
      ...(graph.node(node.name) as { x: number; y: number; width: number; height: number }),
    })),
    edges: graph.edges().map((edge: EdgeName) => {
      const { points, x, y } = graph.edge(edge) as { points: readonly Point[]; x?: number; y?: number };
      const transition = workflow.transitions[Number(edge.name)]!;
      const middle = points[Math.floor(points.length / 2)]!;
      const gates = transition.gates.length === 0 ? '' : `, checked by ${transition.gates.join(', ')}`;
      return {
        key: `${edge.v}-${edge.w}-${edge.name}`,
        path: drawCurve(points),
        label: { x: x ?? middle.x, y: (y ?? middle.y) + 3, text: transition.outcome },
        title: `${transition.from}: ${transition.outcome}${gates}`,
      };
    }),
  };
}

/** A smooth curve through the points: quadratic pieces between the middles of the segments. */
function drawCurve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const pieces = rest.slice(0, -1).map((point, at) => {
    const next = rest[at + 1]!;
    const end = at === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  const last = rest.at(-1);
  const tail = rest.length === 1 && last ? `L${last.x} ${last.y}` : '';
  return `M${first.x} ${first.y}${pieces.join('')}${tail}`;
}
