import type { Plan } from '@phaseline/client';
import { useMemo } from 'react';
import { Empty } from '../ui/notice.js';
import { describeRecurrence, formatWork } from './format-plan.js';
import { buildOutlineTree, readOutline, type OutlineBranch, type OutlineNode } from './read-outline.js';

/** What the levels are called; those of what recurs and of what accumulates have other names. */
const levels: Readonly<Record<string, string>> = {
  ...{ L1: 'Phase', L2: 'Milestone', L3: 'Task', L4: 'Action' },
  ...{ 'L1 recurring': 'Cycle', 'L2 cumulative': 'Target' },
};

/** What the plan consists of, as a tree. */
export function OutlinePanel({ outline }: { readonly outline: Plan['outline'] }) {
  const tree = useMemo(() => (outline ? buildOutlineTree(readOutline(outline)) : []), [outline]);
  if (!outline) return <Empty>The plan has no outline yet.</Empty>;
  if (tree.length === 0) return <Empty>The outline is empty.</Empty>;
  return <Branches branches={tree} />;
}

function Branches({ branches }: { readonly branches: readonly OutlineBranch[] }) {
  return (
    <ul className="plan-tree">
      {branches.map(({ node, parts }, index) => (
        <li key={`${node.id} ${index}`}>
          <Node node={node} />
          {parts.length > 0 ? <Branches branches={parts} /> : null}
        </li>
      ))}
    </ul>
  );
}

function Node({ node }: { readonly node: OutlineNode }) {
  const { id, level, time, title, estimateMinutes, endCriterion, agent, recurrence, measure } = node;
  const facts = [
    time === 'once' ? undefined : time,
    recurrence === undefined ? undefined : describeRecurrence(recurrence),
    estimateMinutes === undefined ? undefined : formatWork(estimateMinutes),
    measure,
    agent === undefined ? undefined : `done by ${agent}`,
  ].filter((fact) => fact !== undefined);
  return (
    <div className={`plan-node plan-node-${level}`} title={id}>
      <span className="plan-level">{levels[`${level} ${time}`] ?? levels[level] ?? level}</span>
      <span className="wrap-anywhere">
        <span className="plan-node-title">{title}</span>
        {facts.length > 0 ? <span className="muted"> · {facts.join(' · ')}</span> : null}
        {endCriterion === undefined ? null : <span className="plan-criterion">Done when: {endCriterion}</span>}
      </span>
    </div>
  );
}
