import { userInfo } from 'node:os';

/** Returns the actor to record in the log: PHASELINE_ACTOR, else the login name. */
export function getActor(env: NodeJS.ProcessEnv): string {
  const given = env['PHASELINE_ACTOR']?.trim();
  if (given) return given.slice(0, 200);
  try {
    return userInfo().username;
  } catch {
    // In a container the user id may have no name.
    return 'cli';
  }
}
