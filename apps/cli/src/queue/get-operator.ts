import { userInfo } from 'node:os';
import type { Actor } from '@phaseline/contracts';

/**
 * Returns the actor of commands that work on the database directly: the operating-system user, who holds the credentials of the
 * database. It cannot be typed in.
 */
export function getOperator(): Actor {
  try {
    return { id: userInfo().username, kind: 'person' };
  } catch {
    // In a container the user id may have no name.
    return { id: 'cli', kind: 'process' };
  }
}
