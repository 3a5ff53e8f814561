import {
  addSharedGuards,
  getNextDefinition,
  type Guard,
  type JobDecision,
  type JobState,
  type PhaseState,
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
}

/** Adds to a decision what `decideJob` cannot know: the shared guards of the next phase, and the files that the system writes. */
export async function completeDecision(
  job: JobState,
  phase: PhaseState | undefined,
  decided: JobDecision,
  { repository, blobs, now, listSharedGuards }: CompletionParts,
): Promise<WithFiles> {
  const guarded = await addGuards(job, decided, listSharedGuards);
  const items = await addItemFiles(job, phase, guarded, {
    blobs,
    now,
    loadStartTree: async (number) => (await repository.loadPhase(job.submitted.jobId, number))?.start.workspace.tree,
  });
  const completed = addCompletionFile(job, phase, items.decision, now);
  return { decision: completed.decision, blobs: [...items.blobs, ...completed.blobs] };
}

async function addGuards(
  job: JobState,
  decision: JobDecision,
  listSharedGuards: CompletionParts['listSharedGuards'],
): Promise<JobDecision> {
  if (!decision.next) return decision;
  const workflow = getNextDefinition(job).workflow.name;
  return { ...decision, next: addSharedGuards(decision.next, await listSharedGuards(), workflow) };
}
