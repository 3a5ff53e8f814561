import { getDeliverablePath } from '../agent/deliverable.js';
import type { Completion } from '../phase/completion.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { JobState } from '../job/job-state.js';

/** File that the system writes when a job completes, in the commit of `JobCompleted`. */
export const COMPLETION_FILE = 'output/completion.json';

/**
 * Renders the completion file of a job, for programs that read the results as files. `phase` is the last phase, which is part of
 * the spending only through `PhaseEnded`, so `job` must be the state after that event. The file contains no time and no id of the
 * job, which the log has: a fork that repeats a recording gets the same file. Returns `undefined` if the file is a
 * deliverable of the agent, or cannot exist beside the other files: the system replaces no result of a job.
 */
export function renderCompletionFile(job: JobState, phase: PhaseState, completion: Completion): string | undefined {
  const { tree } = phase;
  const { agent, agentHash } = job.definition;
  const { summary, deliverables, confidence, notes } = completion;
  if ([...agent.deliverables.map(getDeliverablePath), ...deliverables].includes(COMPLETION_FILE)) return undefined;
  if (Object.hasOwn(tree, 'output') || Object.keys(tree).some((path) => path.startsWith(`${COMPLETION_FILE}/`)))
    return undefined;
  const { steps, inputTokens, cachedInputTokens, outputTokens, costMicroUsd } = job.spending;
  const document = {
    status: 'completed',
    agent: { name: agent.name, hash: agentHash },
    summary,
    confidence,
    notes,
    deliverables: deliverables.map((path) => {
      const entry = Object.hasOwn(tree, path) ? tree[path] : undefined;
      return entry ? { path, bytes: entry.size, hash: entry.hash } : { path };
    }),
    phases: job.phases,
    spending: { steps, inputTokens, cachedInputTokens, outputTokens, costMicroUsd },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
