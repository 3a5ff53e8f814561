import { resolve } from 'node:path';

/** Returns PHASELINE_HOME, the folder of the local stack, as an absolute path. It may not exist. */
export function getHomeDirectory(env: NodeJS.ProcessEnv, currentDirectory: string): string {
  return resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
}
