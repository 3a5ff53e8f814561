import {
  findCurrentItem,
  isLastAttempt,
  MAIN_PLAN_FILE,
  type DecisionFiles,
  type JobState,
  type PhaseState,
} from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import type { JobRepository } from '@phaseline/repository';

/** Size in bytes above which a plan is not read. */
const MAX_PLAN_BYTES = 1024 * 1024;

interface Parts {
  readonly repository: Pick<JobRepository, 'loadPhase'>;
  readonly store: Pick<EventLog, 'blobs'>;
}

/** Reads what a decision about the job needs beside its state: nothing for most decisions. */
export async function readDecisionFiles(
  job: JobState,
  phase: PhaseState | undefined,
  parts: Parts,
): Promise<DecisionFiles> {
  return {
    mainPlan: await readMainPlan(phase, parts.store),
    itemTree: await readItemTree(job, phase, parts.repository),
  };
}

/** Reads the files with which the work on the current item began, if it may become blocked now. */
async function readItemTree(
  job: JobState,
  phase: PhaseState | undefined,
  repository: Parts['repository'],
): Promise<DecisionFiles['itemTree']> {
  const began = findCurrentItem(job.items)?.began;
  if (began === undefined || !phase || !isLastAttempt(job) || !(phase.end ?? job.handoff)) return undefined;
  return (await repository.loadPhase(job.submitted.jobId, began))?.start.workspace.tree;
}

/** Reads the plan of the job when a phase has planned the next one, so that the place of that phase can be counted. */
async function readMainPlan(phase: PhaseState | undefined, { blobs }: Parts['store']): Promise<string | undefined> {
  const entry = phase?.tree[MAIN_PLAN_FILE];
  if (!phase || !entry || phase.end?.kind !== 'completed' || !phase.end.plan) return undefined;
  if (entry.size > MAX_PLAN_BYTES) return undefined;
  const content = await (blobs.forJob?.(phase.start.identity.jobId) ?? blobs).get(entry.hash);
  return content && new TextDecoder().decode(content);
}
