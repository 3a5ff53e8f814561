import type { JobId } from '@phaseline/contracts';
import {
  INSTRUCTIONS_FILE,
  isEncryptedJob,
  readTask,
  type NextPhase,
  type PhaseState,
  type Precedent,
} from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { BlobReader } from '@phaseline/workspace';

/** Returns the promoted learning traces that a job may read and that fit a task, the best match first. */
export type SearchPrecedents = (jobId: JobId, task: string) => Promise<readonly Precedent[]>;

/** Maximum characters of the goal of a phase, and of the task of the job: what fits into the text of a search. */
const MAX_GOAL_CHARACTERS = 500;
const MAX_TASK_CHARACTERS = 500;

/** Size in bytes above which instructions are not read. */
const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;

interface Parts {
  readonly repository: Pick<JobRepository, 'loadPhase'>;
  /** The contents of this job. */
  readonly blobs: BlobReader;
  readonly searchPrecedents: SearchPrecedents | undefined;
}

/** Finds the learning traces with which a phase begins. A phase that repeats a recording begins with those of the recording. */
export async function findPrecedents(
  next: NextPhase,
  { repository, blobs, searchPrecedents }: Parts,
): Promise<readonly Precedent[]> {
  const { identity, recording, workspace, plan } = next.started.data;
  if (recording) {
    // An encrypted job begins with none, and its content may have been erased.
    if (isEncryptedJob(recording.jobId)) return [];
    const recorded = await repository.loadPhase(recording.jobId, next.phase);
    return (recorded?.start.identity.state === identity.state && recorded.start.plan.precedents) || [];
  }
  if (!searchPrecedents || isEncryptedJob(identity.jobId)) return [];
  const goal = [identity.name, plan.objective, plan.item?.description].filter((text) => text !== undefined).join('\n');
  const task = await readInstructions(workspace.tree[INSTRUCTIONS_FILE], blobs);
  return searchPrecedents(
    identity.jobId,
    `${goal.slice(0, MAX_GOAL_CHARACTERS)}\n${task.slice(0, MAX_TASK_CHARACTERS)}`.toWellFormed(),
  );
}

async function readInstructions(entry: PhaseState['tree'][string] | undefined, blobs: BlobReader): Promise<string> {
  if (!entry || entry.size > MAX_INSTRUCTIONS_BYTES) return '';
  const content = await blobs.get(entry.hash);
  return (content && readTask(new TextDecoder().decode(content))) ?? '';
}
