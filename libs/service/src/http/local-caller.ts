import { userInfo } from 'node:os';
import { ALL_TENANTS, type Caller } from '@phaseline/identity';

/** Returns the operating-system user who runs this process, who administers all tenants. */
export function createLocalCaller(): Caller {
  return { id: readUserName(), kind: 'person', roles: [{ role: 'admin', tenant: ALL_TENANTS }] };
}

/** In a container, the user id often has no name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
