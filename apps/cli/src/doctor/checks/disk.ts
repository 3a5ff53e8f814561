import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { bytes } from '../../output/quantities.js';
import { fail, ok, warn, type Check, type Finding } from '../check.js';
import type { Patient } from '../patient.js';

/** Below this share of what is called little, nothing goes any more. */
const FULL = 0.1;

/** The folders that a system on this machine writes to: free space, and the right to write. */
export const disk: Check = {
  name: 'disk',
  run: async (patient) => {
    const folders = { PHASELINE_HOME: patient.home, WORKSPACE_ROOT: patient.workspaceRoot };
    const findings: Finding[] = [];
    const free: string[] = [];
    for (const [name, folder] of Object.entries(folders)) {
      const found = await look(name, folder, patient);
      if (typeof found === 'string') free.push(found);
      else findings.push(found);
    }
    return findings.length > 0 ? findings : ok([...new Set(free)].join(', '));
  },
};

async function look(name: string, folder: string, { limits }: Patient): Promise<Finding | string> {
  const there = await nearest(folder);
  try {
    await access(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    return fail(
      `${folder} (${name}) cannot be written: ${why}`,
      `chown or chmod ${there}, or set ${name} to another folder`,
    );
  }
  const { bavail, bsize } = await statfs(there);
  const left = bavail * bsize;
  const text = `${bytes(left)} are free at ${there} (${name})`;
  const mend = `free some space, or set ${name} to another disk`;
  if (left < limits.freeBytes * FULL) return fail(text, mend);
  return left < limits.freeBytes ? warn(text, mend) : `${bytes(left)} free at ${there}`;
}

/** The folder, or the closest one above it that is there: it is made when it is needed. */
async function nearest(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const there = await access(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
    );
    if (there || at === dirname(at)) return at;
  }
}
