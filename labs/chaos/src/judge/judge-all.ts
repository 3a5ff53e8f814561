import type { JobId } from '@phaseline/contracts';
import type { RecordedEvent } from '@phaseline/event-store';
import { CHECKED_AGENT, CHILD_AGENT, COMMANDS_AGENT, DELEGATING_AGENT } from '../agent/chaos-definitions.js';
import { amendedResultText } from '../agent/chaos-guards.js';
import { CHILD_SHAPE, expectedOfCommands, expectedOutput, type JobShape } from '../agent/chaos-job.js';
import type { Fleet } from '../fleet/fleet.js';
import type { SentDecision } from '../fleet/people.js';
import { findClaimLosses } from './judge-claims.js';
import { findDelegationLosses } from './judge-delegation.js';
import { judgeJob, type JobOutcome } from './judge-job.js';
import type { LogReader } from './log-reader.js';
import { readEffects } from './read-effects.js';

/**
 * Judges each of these jobs, and those to which they delegated, by the log, by the recorded effects, and by what people were told about their
 * decisions.
 */
export async function judgeAll(
  jobIds: Iterable<JobId>,
  log: LogReader,
  fleet: Fleet,
  decisions: readonly SentDecision[] = [],
): Promise<JobOutcome[]> {
  const effects = Map.groupBy(await readEffects(fleet.effectsFile), ({ jobId }) => jobId);
  const decided = Map.groupBy(decisions, ({ jobId }) => jobId);
  const { shape } = fleet.options;
  const jobOutcomes: JobOutcome[] = [];
  const judge = async (jobId: JobId): Promise<void> => {
    const events = await log.readEvents(jobId);
    const children = await log.findChildren(jobId);
    const agent = readAgent(events);
    const files = expectedOf(agent, shape);
    const judged = judgeJob(jobId, events, effects.get(jobId) ?? [], files, decided.get(jobId));
    const isWithout = agent === DELEGATING_AGENT && children.length !== shape.rounds;
    const losses = [
      ...judged.losses,
      ...findClaimLosses(events),
      ...findDelegationLosses(events, children),
      ...(isWithout ? [`the job has ${children.length} child jobs, and should have one per round`] : []),
    ];
    jobOutcomes.push({ ...judged, losses });
    for (const child of children) await judge(child.jobId);
  };
  for (const jobId of jobIds) await judge(jobId);
  return jobOutcomes;
}

function readAgent(events: readonly RecordedEvent[]): unknown {
  const submitted = events.find(({ type }) => type === 'JobSubmitted');
  return (submitted?.data['agent'] as { name?: unknown } | undefined)?.name;
}

/** Files that a job of an agent must leave below `output/`. */
function expectedOf(agent: unknown, shape: JobShape): Readonly<Record<string, string>> {
  switch (agent) {
    case CHILD_AGENT:
      return expectedOutput(CHILD_SHAPE);
    case COMMANDS_AGENT:
      return { ...expectedOutput(shape), ...expectedOfCommands(shape) };
    case CHECKED_AGENT:
      return expectedOutput(shape, amendedResultText(shape));
    default:
      return expectedOutput(shape);
  }
}
