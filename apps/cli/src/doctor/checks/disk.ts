import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatBytes } from '../../output/quantities.js';
import { fail, ok, warn, type Check, type Finding } from '../check.js';
import type { DoctorTarget } from '../doctor-target.js';

/** Less than this fraction of the limit is a failure. */
const FAILURE_FRACTION = 0.1;

/** Checks free space and write permission of the folders that services on this machine write to. */
export const disk: Check = {
  name: 'disk',
  run: async function* (target) {
    const folders = {
      PHASELINE_HOME: target.home,
      PHASELINE_WORKSPACES_DIR: target.workspaceRoot,
      PHASELINE_WORK_DIR: target.workRoot,
    };
    const free: string[] = [];
    for (const [name, folder] of Object.entries(folders)) {
      const found = await checkFolder(name, folder, target);
      if (typeof found === 'string') free.push(found);
      else yield found;
    }
    return ok([...new Set(free)].join(', '));
  },
};

async function checkFolder(name: string, folder: string, { limits }: DoctorTarget): Promise<Finding | string> {
  const existing = await findExistingAncestor(folder);
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return fail(
      `${folder} (${name}) cannot be written: ${code}`,
      `chown or chmod ${existing}, or set ${name} to another folder`,
    );
  }
  const { bavail, bsize } = await statfs(existing);
  const freeBytes = bavail * bsize;
  const text = `only ${formatBytes(freeBytes)} free at ${existing} (${name})`;
  const advice = `free some space, or set ${name} to a folder on another disk`;
  if (freeBytes < limits.freeBytes * FAILURE_FRACTION) return fail(text, advice);
  return freeBytes < limits.freeBytes ? warn(text, advice) : `${formatBytes(freeBytes)} free at ${existing}`;
}

/** Returns the folder or its closest existing ancestor. The folder itself is created when it is needed. */
async function findExistingAncestor(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const exists = await access(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    );
    if (exists || at === dirname(at)) return at;
  }
}
