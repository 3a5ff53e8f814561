import { unmirroredFiles } from '@phaseline/event-store';
import { counted } from '../../output/quantities.js';
import { printable } from '../../output/printable.js';
import { ok, warn, type Check } from '../check.js';
import { hasTable } from './seals.js';

const SHOWN = 10;

/** Files that a mirror on disk could not take. They are safe in the database. */
export const mirror: Check = {
  name: 'mirror',
  needs: ['schema'],
  run: async ({ pool }) => {
    if (!(await hasTable({ pool }, 'unmirrored_files'))) return ok('every file');
    const { total, files } = await unmirroredFiles(pool, SHOWN);
    if (total === 0) return ok('every file');
    const findings = files.map(({ jobId, path, place, reason, mirror: name }) =>
      warn(
        path === ''
          ? `files of job ${jobId} are not in the mirror ${place}: an event could not be read: ${printable(reason)}`
          : `${printable(path)} of job ${jobId} is not in the mirror ${place}: ${printable(reason)}`,
        `mend what it names; it is tried again within an hour, and at the next start of the tool-runner there. If that machine is gone: DELETE FROM phaseline.unmirrored_files WHERE mirror = '${name}'`,
      ),
    );
    const more = total - files.length;
    if (more > 0) findings.push(warn(`${counted(more, 'more file')} are not in a mirror`, 'see above'));
    return findings;
  },
};
