import type { JobWorkflow } from '@phaseline/client';
import { isEnded, type JobStatus } from '@phaseline/contracts';
import type { Paint } from '../output/paint.js';
import { toPrintable } from '../output/printable.js';
import { pluralise } from '../output/quantities.js';

interface WorkflowProgress {
  readonly status: JobStatus;
  /** State of the current or last phase; undefined before the first one. */
  readonly current: string | undefined;
  /** Number of phases by state. */
  readonly visits: ReadonlyMap<string, number>;
}

/** Each state with its outcomes below it. The state of the job is marked. */
export function renderWorkflow(workflow: JobWorkflow, progress: WorkflowProgress, paint: Paint): readonly string[] {
  const { name, version, start, states, transitions } = workflow;
  const { status, current, visits } = progress;
  const isOver = isEnded(status);
  return [
    `Workflow ${toPrintable(name)}, version ${version}; the job is ${status}${current === undefined ? '' : ` in ${toPrintable(current)}`}`,
    ...states.flatMap((state) => {
      const isCurrent = state.name === current;
      const title = `${isCurrent ? (isOver ? '■' : '▶') : ' '} ${toPrintable(state.name)}: ${toPrintable(state.title)}`;
      const facts = [
        ...(isCurrent ? [isOver ? 'ended here' : 'now'] : []),
        state.kind,
        ...(state.name === start ? ['start'] : []),
        ...(state.agent === undefined ? [] : [`agent ${toPrintable(state.agent)}`]),
        pluralise(visits.get(state.name) ?? 0, 'phase'),
      ];
      return [
        '',
        `${isCurrent ? paint.bold(title) : title}  ${paint.dim(`(${facts.join(', ')})`)}`,
        ...transitions.filter(({ from }) => from === state.name).map((one) => describeTransition(one, paint)),
      ];
    }),
  ];
}

function describeTransition(transition: JobWorkflow['transitions'][number], paint: Paint): string {
  const { outcome, to, end, condition, gates, isHandoff } = transition;
  const target = to === undefined ? `the job ends: ${end ?? 'completed'}` : toPrintable(to);
  const notes = [
    ...(condition === 'none' ? ['if no item is left'] : []),
    ...(isHandoff ? ['handed over'] : []),
    ...(gates.length === 0 ? [] : [`gates: ${gates.map(toPrintable).join(', ')}`]),
  ];
  return `    ${toPrintable(outcome)} → ${target}${notes.length === 0 ? '' : paint.dim(`  ${notes.join('; ')}`)}`;
}
