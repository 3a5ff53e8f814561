import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupProfile, type ProfileGroup } from './group-profile.js';
import { recordProfile } from './record-profile.js';

const MAX_GROUPS = 10;

/**
 * Profiles a run, writes the profile to `NAME.cpuprofile` in the folder, and returns the ten largest groups, each divided by the number of
 * units of work that the run returns.
 */
export async function saveProfile(
  run: () => Promise<number>,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<readonly ProfileGroup[]> {
  const { result: units, profile } = await recordProfile(run);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.cpuprofile`), JSON.stringify(profile));
  return groupProfile(profile)
    .slice(0, MAX_GROUPS)
    .map(({ name: group, micros }) => ({ name: group, micros: micros / units }));
}
