import { workflowSchema, type Workflow } from '@phaseline/domain';
import type { Roll } from '@phaseline/harness';
import type { Plan } from './job-name.js';
import type { Call } from './sim-call.js';

/** An agent that no source knows: a task for it is refused. */
const UNKNOWN_AGENT = 'nobody';

/** Draws the calls with which an agent gives one or two tasks to others at once. */
export function drawDelegations({ job }: Plan, phase: number, turn: number, roll: Roll): readonly Call[] {
  return Array.from({ length: roll.between(1, 2) }, (_, number): Call => {
    const agent = roll.happens(0.1) ? UNKNOWN_AGENT : `${job}-h${phase}t${turn}n${number}`;
    return ['delegate', { agent, task: `Help ${number}.`, timeout: roll.pick(['20s', '5m']) }];
  });
}

/** The workflow of a child job: one phase, which completes it. */
export function startAtEnd(workflow: Workflow): Workflow {
  return workflowSchema.parse({ ...workflow, start: 'review' });
}
