import { addExperience, EXPERIENCES_FILE, deriveExperience, type PhaseEvent } from '@phaseline/domain';
import type { ResponseSource } from '../ports.js';
import type { PendingCommit } from './pending-commit.js';

/**
 * Records the lesson from the end of a phase, if there is one: in experiences.md for this job, and as an event for later jobs.
 */
export async function recordExperience(commit: PendingCommit, end: PhaseEvent, source: ResponseSource): Promise<void> {
  const lesson = deriveExperience(commit.state, end);
  const added = lesson && addExperience(await commit.readText(EXPERIENCES_FILE), lesson);
  if (!added) return;
  const content = new TextEncoder().encode(added.file);
  const writtenAt = source.findWriteTime(EXPERIENCES_FILE, content);
  commit.changeFiles([{ path: EXPERIENCES_FILE, content, writtenAt }]);
  commit.record({ type: 'ExperienceNoted', data: added.noted });
}
