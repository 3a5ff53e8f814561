import {
  addPrecedents,
  addSharedGuards,
  getNextDefinition,
  type Guard,
  type JobDecision,
  type JobState,
  type NextPhase,
  type PhaseState,
  type Precedent,
} from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { BlobReader } from '@phaseline/workspace';
import { addCompletionFile } from './completion-file.js';
import { addItemFiles, type WithFiles } from './item-files.js';

/** What the parts of a decision come from that are not in the state of the job. */
export interface CompletionParts {
  readonly repository: Pick<JobRepository, 'loadPhase'>;
  /** The contents of this job. */
  readonly blobs: BlobReader;
  readonly now: Date;
  /** The guards of the installation and of the tenant, which guard a phase that starts now. */
  readonly listSharedGuards: () => readonly Guard[] | Promise<readonly Guard[]>;
  /** The promoted learning traces with which a phase begins that starts now. */
  readonly findPrecedents: (next: NextPhase) => readonly Precedent[] | Promise<readonly Precedent[]>;
}

/** Adds to a decision what `decideJob` cannot know: the shared guards and the precedents of the next phase, and the files that the system writes. */
export async function completeDecision(
  job: JobState,
  phase: PhaseState | undefined,
  decided: JobDecision,
  { repository, blobs, now, ...sources }: CompletionParts,
): Promise<WithFiles> {
  const equipped = await equipPhase(job, decided, sources);
  const items = await addItemFiles(job, phase, equipped, {
    blobs,
    now,
    loadStartTree: async (number) => (await repository.loadPhase(job.submitted.jobId, number))?.start.workspace.tree,
  });
  const completed = addCompletionFile(job, phase, items.decision, now);
  return { decision: completed.decision, blobs: [...items.blobs, ...completed.blobs] };
}

async function equipPhase(
  job: JobState,
  decision: JobDecision,
  { listSharedGuards, findPrecedents }: Pick<CompletionParts, 'listSharedGuards' | 'findPrecedents'>,
): Promise<JobDecision> {
  if (!decision.next) return decision;
  const workflow = getNextDefinition(job).workflow.name;
  const guarded = addSharedGuards(decision.next, await listSharedGuards(), workflow);
  return { ...decision, next: addPrecedents(guarded, await findPrecedents(guarded)) };
}
