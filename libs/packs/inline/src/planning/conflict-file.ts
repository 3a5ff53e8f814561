import { planPaths, type ScheduleConflict, scheduleConflictSchema } from '@phaseline/planning';
import type { WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';

/** Reads the conflict of the roadmap; `undefined` if there is none, or it belongs to an earlier roadmap. */
export async function readConflict(
  workspace: WorkspaceReader,
  roadmapHash: string | undefined,
): Promise<ScheduleConflict | undefined> {
  const text = await readTextIfExists(workspace, planPaths.conflict);
  if (text === undefined) return undefined;
  const conflict = scheduleConflictSchema.parse(JSON.parse(text));
  return conflict.roadmapHash === roadmapHash ? conflict : undefined;
}
