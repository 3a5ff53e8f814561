import type { JobEvent, PhaseEvent } from '@phaseline/domain';
import type { RecordedEvent } from '@phaseline/event-store';
import type { Commit } from '../log/commits.js';
import { decodeEvent, type RecordedJob } from '../log/recorded-job.js';
import { getCommitTime } from './commit-time.js';
import { redecideJobCommit } from './redecide-job.js';
import { redecidePhaseCommit } from './redecide-phase.js';
import type { CommitToRedecide, DecisionParts, Redecision } from './redecide-parts.js';

/**
 * Decides a recorded commit again, from the recorded state before it. What a person, a model, a tool or another job did is taken as recorded;
 * what the engine decided is decided by the installed version. Nothing is executed and nothing is appended.
 */
export async function redecideCommit(
  before: RecordedJob,
  commit: Commit,
  parts: DecisionParts,
): Promise<Redecision & Pick<CommitToRedecide, 'events'>> {
  const events = commit.flatMap((event) => decodeEvent(event) ?? []);
  const [first] = commit;
  const toRedecide = { before, events, first, now: getCommitTime(events, first.recordedAt) };
  return { ...(await redecide(toRedecide, parts)), events };
}

async function redecide(commit: CommitToRedecide, parts: DecisionParts): Promise<Redecision> {
  const [first] = commit.events;
  if (!first || !isByProcess(commit.first)) return { kind: 'input' };
  const ofJob = commit.events.find(({ kind }) => kind === 'job');
  if (ofJob?.kind === 'job') return jobInputs.has(ofJob.event.type) ? { kind: 'input' } : redecideJobCommit(commit);
  if (first.kind === 'job' || phaseInputs.has(first.event.type)) return { kind: 'input' };
  if (decidedByJob.has(first.event.type)) return redecideJobCommit(commit);
  const recorded = commit.events.flatMap((one) => (one.kind === 'phase' ? [one.event] : []));
  return redecidePhaseCommit(first.phase, recorded, commit, parts);
}

/** Whether a process of the engine appended an event, and no person, key or service account. */
function isByProcess({ metadata }: RecordedEvent): boolean {
  const { actor } = metadata;
  return typeof actor === 'object' && actor !== null && 'kind' in actor && actor['kind'] === 'process';
}

/** Events of a job that come from people, from other jobs, or from what is around the job. */
const jobInputs: ReadonlySet<string> = new Set<JobEvent['type']>([
  ...(['JobSubmitted', 'JobForked', 'JobResumed', 'JobSteered', 'WorkspaceEdited', 'JobRetried'] as const),
  ...(['JobDefinitionChanged', 'JobGuardOverridden', 'JobGuardOverrideRevoked', 'JobCancelRequested'] as const),
  ...(['JobErased', 'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'RepositoryImported'] as const),
  ...(['RepositoryImportFailed', 'RepositoryChanged', 'RepositoryOutputRequested', 'RepositoryOutputMade'] as const),
  'RepositoryOutputFailed',
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
