import type { JobEvent, PhaseEvent } from '@phaseline/domain';
import { readActor, type Commit } from '../log/commits.js';
import type { RecordedJob } from '../log/recorded-job.js';
import { getCommitTime } from './commit-time.js';
import { redecideJobCommit } from './redecide-job.js';
import { redecidePhaseCommit } from './redecide-phase.js';
import type { CommitToRedecide, DecisionParts, Redecision } from './redecide-parts.js';

/**
 * Decides a recorded commit again, from the recorded state before it. What a person, a model, a tool or another job did is taken as recorded;
 * what the engine decided is decided by the installed version. Nothing is executed and nothing is appended. `now` is when it was decided.
 */
export async function redecideCommit(
  before: RecordedJob,
  commit: Commit,
  parts: DecisionParts,
  now = getCommitTime(commit),
): Promise<Redecision> {
  const { recorded, events } = commit;
  return redecide({ before, events, first: recorded[0], now }, parts);
}

async function redecide(commit: CommitToRedecide, parts: DecisionParts): Promise<Redecision> {
  const [first] = commit.events;
  // People, keys and service accounts decide for themselves.
  if (!first || readActor(commit.first).kind !== 'process') return { kind: 'input' };
  const ofJob = commit.events.find(({ kind }) => kind === 'job');
  if (ofJob?.kind === 'job') return jobInputs.has(ofJob.event.type) ? { kind: 'input' } : redecideJobCommit(commit);
  if (first.kind === 'job' || phaseInputs.has(first.event.type)) return { kind: 'input' };
  if (decidedByJob.has(first.event.type)) return redecideJobCommit(commit);
  const recorded = commit.events.flatMap((one) => (one.kind === 'phase' ? [one.event] : []));
  return redecidePhaseCommit(first.phase, recorded, commit, parts);
}

/** Events of a job that come from people, from other jobs, or from what is around the job. */
const jobInputs: ReadonlySet<string> = new Set<JobEvent['type']>([
  ...(['JobSubmitted', 'JobForked', 'JobResumed', 'JobSteered', 'WorkspaceEdited', 'JobRetried'] as const),
  ...(['JobDefinitionChanged', 'JobGuardOverridden', 'JobGuardOverrideRevoked', 'JobCancelRequested'] as const),
  ...(['JobErased', 'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'RepositoryImported'] as const),
  ...(['RepositoryImportFailed', 'RepositoryChanged', 'RepositoryOutputRequested', 'RepositoryOutputMade'] as const),
  ...(['RepositoryOutputFailed', 'JobMovedToColdStorage'] as const),
]);

/** Events of a phase that come from people or from other jobs. */
const phaseInputs: ReadonlySet<string> = new Set<PhaseEvent['type']>([
  ...(['PhaseForked', 'PhaseSteered', 'PhasePaused', 'ChildJobEnded', 'ApprovalGranted', 'QuestionAnswered'] as const),
  ...(['GuardOverridden', 'GuardOverrideRevoked', 'ToolCallAmended'] as const),
]);

/** Events of a phase that an orchestrator decides, without an event of the job. */
const decidedByJob: ReadonlySet<string> = new Set<PhaseEvent['type']>([
  ...(['PhaseResumed', 'QuestionTimedOut', 'ApprovalRefused'] as const),
]);
