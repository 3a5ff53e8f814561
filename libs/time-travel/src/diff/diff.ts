import type { JobId } from '@phaseline/contracts';
import type { Spending } from '@phaseline/domain';
import type { Blobs } from '@phaseline/event-store';
import type { JobAt, TimeTravel } from '../view/time-travel.js';
import {
  diffFiles,
  diffPhases,
  diffTodos,
  subtractSpending,
  type FileChanges,
  type PhaseChange,
  type PhaseTodos,
  type TodoChange,
} from './diff-jobs.js';
import { createTextDiffs, type TextDiff } from './text-diff.js';

/** What changed in a job from one position of the log to another. */
export interface JobDiff {
  readonly from: PointSummary;
  readonly to: PointSummary;
  readonly phases: readonly PhaseChange[];
  readonly todos: readonly TodoChange[];
  readonly files: FileChanges;
  readonly usageChange: Spending;
  /** Diffs of text files; present only on request. */
  readonly patches?: readonly TextDiff[];
}

interface PointSummary {
  readonly position: number;
  readonly status: string;
  /** The last phase that had started. */
  readonly phase?: number;
  readonly usage: Spending;
}

/** Compares a job at two positions. Returns `undefined` when one of them is before the start of the job. */
export async function diffJob(
  parts: { readonly travel: TimeTravel; readonly blobs: Pick<Blobs, 'get'> },
  jobId: JobId,
  from: number,
  to: number | undefined,
  options: { readonly patches?: boolean } = {},
): Promise<JobDiff | undefined> {
  const [before, after] = [await parts.travel.at(jobId, from), await parts.travel.at(jobId, to)];
  if (!before || !after) return undefined;
  const files = diffFiles(before.files, after.files);
  return {
    from: summarisePoint(before),
    to: summarisePoint(after),
    phases: diffPhases(before, after),
    todos: diffTodos(todosOf(before), await todosBetween(parts.travel, jobId, before, after)),
    files,
    usageChange: subtractSpending(after.spending, before.spending),
    ...(options.patches ? { patches: await createTextDiffs(files, parts.blobs) } : {}),
  };
}

function summarisePoint({ position, job, phase, spending }: JobAt): PointSummary {
  return { position, status: job.status, ...(phase ? { phase: phase.start.identity.phase } : {}), usage: spending };
}

function todosOf({ phase }: JobAt): readonly PhaseTodos[] {
  return phase ? [{ phase: phase.start.identity.phase, todos: phase.todos.list }] : [];
}

/**
 * Returns the todos of every phase from that of the first position on, as of the second position, or as of the end of
 * the phase when it ended before.
 */
async function todosBetween(
  travel: TimeTravel,
  jobId: JobId,
  before: JobAt,
  after: JobAt,
): Promise<readonly PhaseTodos[]> {
  const list: PhaseTodos[] = [];
  const last = after.phase?.start.identity.phase ?? 0;
  for (let phase = before.phase?.start.identity.phase ?? 1; phase < last; phase += 1) {
    const state = await travel.phaseAt(jobId, phase);
    if (state) list.push({ phase, todos: state.todos.list });
  }
  return [...list, ...todosOf(after)];
}
