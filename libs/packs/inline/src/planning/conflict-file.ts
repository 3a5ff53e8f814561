import type { Relaxation } from '@phaseline/planning';
import type { WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';

/** Why the last schedule was not found. Written by ScheduleGenerator. */
const CONFLICT_FILE = 'plan/conflict.json';

/** What ScheduleGenerator found instead of a schedule, and what would help. */
export interface ScheduleConflict {
  /** Roadmap for which there is no schedule. */
  readonly roadmapHash: string;
  readonly code: 'infeasible' | 'search_limit';
  readonly text: string;
  readonly choices: readonly { readonly id: string; readonly title: string }[];
  /** In the order of the choices. */
  readonly relaxations: readonly Relaxation[];
}

/** Reads the conflict of the roadmap; `undefined` if there is none, or it belongs to an earlier roadmap. */
export async function readConflict(
  workspace: WorkspaceReader,
  roadmapHash: string | undefined,
): Promise<ScheduleConflict | undefined> {
  const text = await readTextIfExists(workspace, CONFLICT_FILE);
  if (text === undefined) return undefined;
  const conflict = JSON.parse(text) as ScheduleConflict;
  return conflict.roadmapHash === roadmapHash ? conflict : undefined;
}
