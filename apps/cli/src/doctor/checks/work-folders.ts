import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { jobStream } from '@phaseline/domain';
import { claimAbandonedFolders } from '@phaseline/workspace';
import { pluralise } from '../../output/quantities.js';
import { ok, warn, type Check } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';

/**
 * Reports folders of ended jobs that a tool-runner which no longer runs left on this machine. A running one removes its own; the
 * folders of open jobs are continued by the next one.
 */
export const workFolders: Check = {
  name: 'work-folders',
  needs: ['schema'],
  run: async function* (target) {
    const { workRoot } = target;
    const places = await findLeftFolders(target);
    if (places.length > 0)
      yield warn(
        `${pluralise(places.length, 'folder')} of ended jobs in ${workRoot} (PHASELINE_WORK_DIR), left by a tool-runner that no longer runs`,
        'start the tool-runner on this machine, which removes them, or run phaseline doctor --fix',
        async () => {
          let removed = 0;
          await findLeftFolders(target, async (place) => {
            await rm(place, { recursive: true, force: true });
            removed += 1;
          });
          return `removed ${pluralise(removed, 'folder')} of ended jobs`;
        },
      );
    return ok('no folders of ended jobs are left');
  },
};

/** Finds the folders, and calls `visit` with each while no tool-runner can begin to use it. */
async function findLeftFolders(
  { workRoot, pool }: Pick<DoctorTarget, 'workRoot' | 'pool'>,
  visit: (place: string) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const places: string[] = [];
  const claimed = await claimAbandonedFolders(workRoot);
  try {
    for (const { folder } of claimed) {
      const jobIds = await readdir(folder);
      const { rows } = await pool.query<{ stream_id: string }>(
        'SELECT stream_id FROM phaseline.streams WHERE stream_id = ANY ($1) AND closed',
        [jobIds.map((jobId) => jobStream(jobId))],
      );
      // A job that is not in this log may be open in another.
      const ended = new Set(rows.map(({ stream_id }) => stream_id));
      for (const jobId of jobIds) if (ended.has(jobStream(jobId))) places.push(join(folder, jobId));
    }
    for (const place of places) await visit(place);
    return places;
  } finally {
    for (const { release } of claimed) await release();
  }
}
