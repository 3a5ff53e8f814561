import { listUnmirroredFiles } from '@phaseline/event-store';
import { pluralise } from '../../output/quantities.js';
import { toPrintable } from '../../output/printable.js';
import { ok, warn, type Check } from '../check.js';
import { hasTable } from './anchors.js';

const MAX_FILES_SHOWN = 10;

/** Reports files that could not be written to a mirror on disk. They are safe in the database. */
export const mirror: Check = {
  name: 'mirror',
  needs: ['schema'],
  run: async ({ pool }) => {
    if (!(await hasTable({ pool }, 'unmirrored_files'))) return ok('all files are mirrored');
    const { total, files } = await listUnmirroredFiles(pool, MAX_FILES_SHOWN);
    if (total === 0) return ok('all files are mirrored');
    const findings = files.map(({ jobId, path, location, reason, mirror: name }) =>
      warn(
        path === ''
          ? `files of job ${jobId} are not in the mirror ${location}: an event could not be read: ${toPrintable(reason)}`
          : `${toPrintable(path)} of job ${jobId} is not in the mirror ${location}: ${toPrintable(reason)}`,
        `fix the named cause; the file is retried within an hour and when the tool-runner there starts. If that machine no longer exists: DELETE FROM phaseline.unmirrored_files WHERE mirror = '${name}'`,
      ),
    );
    const hidden = total - files.length;
    if (hidden > 0) findings.push(warn(`${pluralise(hidden, 'more file')} not mirrored`, 'see above'));
    return findings;
  },
};
