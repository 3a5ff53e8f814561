import { z } from 'zod';

/** First axis of the grammar. L1: phase or cycle. L2: milestone or target. L3: task. L4: action. */
export const nodeLevels = ['L1', 'L2', 'L3', 'L4'] as const;
export type NodeLevel = (typeof nodeLevels)[number];

/** Second axis of the grammar: done once, repeated by a recurrence rule, or counted towards the targets of a measure. */
export const nodeTimes = ['once', 'recurring', 'cumulative'] as const;
export type NodeTime = (typeof nodeTimes)[number];

/** A pair of level and time as authors write it, such as `L2 once`. */
export type NodeKind = `${NodeLevel} ${NodeTime}`;
export const nodeKinds: readonly NodeKind[] = nodeLevels.flatMap((level) =>
  nodeTimes.map((time): NodeKind => `${level} ${time}`),
);
export const nodeKindSchema = z.enum(nodeKinds as readonly [NodeKind, ...NodeKind[]]);

/** Returns the pair of level and time of a node. */
export function toNodeKind({ level, time }: { readonly level: NodeLevel; readonly time: NodeTime }): NodeKind {
  return `${level} ${time}`;
}

/** Returns the depth of a kind: 1 for phases, 4 for actions. */
export function getKindDepth(kind: NodeKind): number {
  return Number(kind[1]);
}

/** Returns the time of a kind. */
export function getKindTime(kind: NodeKind): NodeTime {
  return kind.slice(3) as NodeTime;
}
