import { summariseCall, type JobStateResponse } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { StatusBadge } from '../ui/badge.js';
import { formatCount, formatUsd } from '../ui/format.js';
import { KeyValues } from '../ui/key-values.js';
import { readMoment } from './moment.js';
import { Todos } from './todos.js';
import { WorkflowGraph } from './workflow-graph.js';

/** The state of the job at the slider: where it is in its workflow, its todos, its open calls, and what it used until then. */
export function StatePanel({ jobId, state }: { readonly jobId: JobId; readonly state: JobStateResponse }) {
  const moment = readMoment(state);
  const { phase, failure } = moment;
  const { usage } = state;
  return (
    <div className="stack">
      <KeyValues
        items={[
          ['Status', <StatusBadge key="status" status={moment.status} />],
          ['Phase', phase && `${phase.number}: ${phase.name} (${phase.kind})`],
          ['Result', moment.result],
          ['Reason', failure && `${failure.message} (${failure.code})`],
          ['Money', formatUsd(usage.costMicroUsd)],
          [
            'Tokens',
            `${formatCount(usage.inputTokens)} in (${formatCount(usage.cachedInputTokens)} cached), ${formatCount(usage.outputTokens)} out`,
          ],
          ['Steps', formatCount(usage.steps)],
          ['Files', formatCount(state.files.length)],
        ]}
      />
      <WorkflowGraph jobId={jobId} current={phase?.end === undefined ? phase?.state : undefined} />
      <Todos jobId={jobId} phase={phase?.number} todos={moment.todos} />
      {moment.openCalls.length > 0 || moment.isModelAsked ? (
        <section className="stack-small">
          <h3>In progress</h3>
          <ul className="stack-small">
            {moment.isModelAsked ? <li>The model is being asked.</li> : null}
            {moment.openCalls.map(({ callId, name, arguments: args }) => (
              <li key={callId} className="wrap-anywhere">
                <code>{name}</code> {summariseCall(args)}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}
