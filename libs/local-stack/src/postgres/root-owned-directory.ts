import { lstat, mkdir, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalStackError } from '../local-stack-error.js';

class NoDirectoryForServer extends LocalStackError {
  readonly code = 'no_directory_for_server';
}

/**
 * Returns a folder that other users can read but only root can write, for files of the server when its user cannot reach root's own
 * folders. Durable data belong in `/var/lib`, because the system may delete unused files in `/var/tmp`. A folder in a world-writable
 * location is used only if root created it, so that no other user can substitute the binaries.
 */
export async function openRootOwnedDirectory(durable: boolean): Promise<string> {
  const parents = [...(durable ? ['/var/lib', '/var/tmp'] : ['/var/tmp']), tmpdir()];
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
      // Read-only or missing: try the next one.
    }
  }
  throw new NoDirectoryForServer(
    `None of ${parents.join(', ')} can be written. Run this as an ordinary user, or set DATABASE_URL.`,
  );
}
