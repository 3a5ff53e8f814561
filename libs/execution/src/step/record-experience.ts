import { addExperience, EXPERIENCES_FILE, deriveExperience, type PhaseEvent } from '@phaseline/domain';
import type { PendingCommit } from './pending-commit.js';

/**
 * Notes the lesson of a phase's end, if there is one: in experiences.md for this job, and as an event for later jobs.
 */
export async function recordExperience(commit: PendingCommit, end: PhaseEvent): Promise<void> {
  const lesson = deriveExperience(commit.state, end);
  const added = lesson && addExperience(await commit.readText(EXPERIENCES_FILE), lesson);
  if (!added) return;
  commit.changeFiles([{ path: EXPERIENCES_FILE, content: new TextEncoder().encode(added.file) }]);
  commit.record({ type: 'ExperienceNoted', data: added.noted });
}
