import { userInfo } from 'node:os';

/** Who stands in the log: PHASELINE_ACTOR, else the user of this machine. */
export function actorOf(env: NodeJS.ProcessEnv): string {
  const given = env['PHASELINE_ACTOR']?.trim();
  if (given) return given.slice(0, 200);
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no name belongs to.
    return 'cli';
  }
}
