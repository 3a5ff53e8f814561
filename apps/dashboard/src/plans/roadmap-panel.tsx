import type { Plan } from '@phaseline/client';
import { useMemo } from 'react';
import { Badge } from '../ui/badge.js';
import { DataTable, type Column } from '../ui/data-table.js';
import { pluralise } from '../ui/format.js';
import { Empty } from '../ui/notice.js';
import { readOutline } from './read-outline.js';
import { readRoadmap, type Dependency, type RoadmapView } from './read-roadmap.js';

type TitleOf = (node: string) => string;

/** In which order the plan is carried out, what depends on what, and which other ways were tried. */
export function RoadmapPanel({ plan: { roadmap, outline } }: { readonly plan: Plan }) {
  const view = useMemo(() => roadmap && readRoadmap(roadmap), [roadmap]);
  const titles = useMemo(() => new Map(readOutline(outline ?? {}).map(({ id, title }) => [id, title])), [outline]);
  if (!view) return <Empty>The plan has no roadmap yet.</Empty>;
  const titleOf: TitleOf = (node) => titles.get(node) ?? node;
  return (
    <div className="stack">
      <Phases view={view} titleOf={titleOf} />
      <Options view={view} />
      <section className="stack-small">
        <h3>Dependencies</h3>
        {view.dependencies.length === 0 ? (
          <Empty>Nothing waits for anything else.</Empty>
        ) : (
          <DataTable
            label="Dependencies"
            columns={listColumns(titleOf)}
            rows={view.dependencies}
            rowKey={({ from, to, rule }) => `${from} ${rule} ${to}`}
          />
        )}
      </section>
    </div>
  );
}

function Phases({ view, titleOf }: { readonly view: RoadmapView; readonly titleOf: TitleOf }) {
  return (
    <section className="stack-small">
      <h3>Phases</h3>
      <ol className="plan-phases">
        {view.phases.map(({ node, mayOverlap, milestones, tasks }) => (
          <li key={node} className="plan-phase">
            <p className="wrap-anywhere">
              <strong>{titleOf(node)}</strong>
              <span className="muted">
                {` · ${pluralise(tasks.length, 'task')}${mayOverlap ? ' · may begin before the phase before it has ended' : ''}`}
              </span>
            </p>
            {milestones.length > 0 ? (
              <ul className="plan-milestones">
                {milestones.map(({ node: milestone, due }) => (
                  <li key={milestone} className="wrap-anywhere">
                    <span aria-hidden="true">◆ </span>
                    {titleOf(milestone)}
                    {due === undefined ? null : <span className="muted">, due {due}</span>}
                  </li>
                ))}
              </ul>
            ) : null}
            <p className="muted wrap-anywhere">{tasks.map(titleOf).join(' · ')}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Options({ view: { options, choiceReason } }: { readonly view: RoadmapView }) {
  return (
    <section className="stack-small">
      <h3>Options that were tried</h3>
      <ul className="plan-tried">
        {options.map(({ id, title, reason, isChosen }) => (
          <li key={id} className={isChosen ? 'plan-tried-option plan-tried-chosen' : 'plan-tried-option'}>
            <p className="row">
              <strong className="wrap-anywhere">{title}</strong>
              {isChosen ? (
                <Badge tone="ok" glyph="✓">
                  chosen
                </Badge>
              ) : null}
            </p>
            <p className="wrap-anywhere">{reason}</p>
            {isChosen && choiceReason !== undefined ? (
              <p className="muted wrap-anywhere">Chosen because: {choiceReason}</p>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}

function listColumns(titleOf: TitleOf): readonly Column<Dependency>[] {
  const cell = (node: string) => (
    <span className="wrap-anywhere" title={node}>
      {titleOf(node)}
    </span>
  );
  return [
    { key: 'to', title: 'Task', render: ({ to }) => cell(to) },
    { key: 'rule', title: 'Rule', render: ({ rule }) => rule },
    { key: 'from', title: 'Other task', render: ({ from }) => cell(from) },
  ];
}
