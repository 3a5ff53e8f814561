import type { JobWorkflow } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { Workflow } from '@phaseline/domain';

type Transition = Workflow['states'][string]['outcomes'][string];
type GraphEdge = JobWorkflow['transitions'][number];

/** Converts the workflow of a job to a graph. */
export function toJobWorkflow(jobId: JobId, { name, version, start, states }: Workflow): JobWorkflow {
  return {
    jobId,
    ...{ name, version, start },
    states: Object.entries(states).map(([state, { title, kind, agent }]) => ({
      name: state,
      title,
      kind,
      ...(agent === undefined ? {} : { agent }),
    })),
    transitions: Object.entries(states).flatMap(([from, { outcomes }]) =>
      Object.entries(outcomes).flatMap(([outcome, transition]) => toEdges(from, outcome, transition)),
    ),
  };
}

function toEdges(from: string, outcome: string, transition: Transition): readonly GraphEdge[] {
  const { gates } = transition;
  if (!('to' in transition)) return [{ from, outcome, end: transition.end, gates, isHandoff: false }];
  const { to, none, handoff } = transition;
  return [
    { from, outcome, to, gates, isHandoff: handoff !== undefined },
    ...(none === undefined ? [] : [{ from, outcome, to: none, condition: 'none' as const, gates, isHandoff: false }]),
  ];
}
