import { lstat, mkdir, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStackError } from '../local-stack-error.js';

class NoPlace extends LocalStackError {
  readonly code = 'NO_PLACE_FOR_SERVER';
}

/**
 * A folder that other users can reach but only root can write, for what the server needs when root's own folders are closed
 * to it. `/var/lib` is the place for data that must last: the system's cleaner empties `/var/tmp` of what was not used for
 * a month. A folder in a place that everybody can write is taken only if root made it, so nobody can slip us other binaries.
 */
export async function rootOwnedPlace(lasting: boolean): Promise<string> {
  const parents = [...(lasting ? ['/var/lib', '/var/tmp'] : ['/var/tmp']), tmpdir()];
  for (const parent of parents) {
    const place = join(parent, 'phaseline');
    try {
      await mkdir(place, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      const found = await lstat(place);
      if (!found.isDirectory() || found.uid !== 0) continue;
      await chmod(place, 0o755);
      return place;
    } catch {
      // Read-only or missing; try the next one.
    }
  }
  throw new NoPlace(`None of ${parents.join(', ')} can be written. Run this as an ordinary user, or set DATABASE_URL.`);
}
