import type { JobWorkflow } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.js';
import type { WorkflowLayout } from './lay-out-workflow.js';
import './workflow-graph.css';

/** The workflow of the job with the state at the slider. The layout is computed once and loaded on demand. */
export function WorkflowGraph({ jobId, current }: { readonly jobId: JobId; readonly current: string | undefined }) {
  const { data } = useQuery({
    queryKey: ['job', jobId, 'workflow'],
    queryFn: async ({ signal }) => {
      const [workflow, { layOutWorkflow }] = await Promise.all([
        client.workflow(jobId, { signal }),
        import('./lay-out-workflow.js'),
      ]);
      return { workflow, layout: layOutWorkflow(workflow) };
    },
    staleTime: Infinity,
    meta: { isFinal: true },
  });
  if (data === undefined) return null;
  return (
    <section className="stack-small">
      <h3>Workflow {data.workflow.name}</h3>
      <Picture layout={data.layout} current={current} />
      <TextAlternative workflow={data.workflow} current={current} />
    </section>
  );
}

function Picture({ layout, current }: { readonly layout: WorkflowLayout; readonly current: string | undefined }) {
  const { width, height, nodes, edges } = layout;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      className="workflow"
      role="img"
      aria-label={`Workflow, ${current === undefined ? 'no state is active' : `now in ${current}`}`}
    >
      <defs>
        <marker id="workflow-arrow" viewBox="0 0 8 8" refX={7} refY={4} markerWidth={7} markerHeight={7} orient="auto">
          <path d="M0 0 8 4 0 8z" className="workflow-arrow" />
        </marker>
      </defs>
      {edges.map(({ key, path, label, title }) => (
        <g key={key}>
          <path d={path} className="workflow-edge" markerEnd="url(#workflow-arrow)">
            <title>{title}</title>
          </path>
          <text x={label.x} y={label.y} className="workflow-label" textAnchor="middle">
            {label.text}
          </text>
        </g>
      ))}
      {nodes.map(({ name, title, kind, x, y, width: w, height: h }) => (
        <g key={name} className={`workflow-node workflow-${kind}${name === current ? ' workflow-current' : ''}`}>
          <rect x={x - w / 2} y={y - h / 2} width={w} height={h} rx={kind === 'end' ? h / 2 : 6} />
          <text x={x} y={y + 4} textAnchor="middle">
            {title}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The same for people who do not see the picture. */
function TextAlternative({
  workflow,
  current,
}: {
  readonly workflow: JobWorkflow;
  readonly current: string | undefined;
}) {
  return (
    <ul className="visually-hidden">
      {workflow.states.map(({ name, title, kind }) => (
        <li key={name}>
          {title}, {kind}
          {name === current ? ', current state' : ''}:{' '}
          {workflow.transitions
            .filter(({ from }) => from === name)
            .map(({ outcome, to, end }) => `${outcome} leads to ${to ?? `the end (${end ?? ''})`}`)
            .join('; ')}
        </li>
      ))}
    </ul>
  );
}
