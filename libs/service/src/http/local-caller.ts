import { userInfo } from 'node:os';
import { ALL_TENANTS, type Caller, type KeyDirectory } from '@phaseline/identity';
import type { CommonConfig } from '../config/service-config.js';
import { isLoopback } from './loopback.js';

/** Returns the operating-system user who runs this process, who administers all tenants. */
export function createLocalCaller(): Caller {
  return {
    ...{ id: readUserName(), kind: 'person', roles: [{ role: 'admin', tenant: ALL_TENANTS }] },
    authentication: { method: 'local-user' },
  };
}

/** In a container, the user id often has no name. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Returns the local user if a request may be its own without a key; undefined if every sender must prove who it is. */
export async function findLocalCaller(
  config: CommonConfig,
  directory: Administrators | undefined,
): Promise<Caller | undefined> {
  return (await areKeysNeeded(config, directory)) ? undefined : createLocalCaller();
}

type Administrators = Pick<KeyDirectory, 'hasAdministrator'>;

/** On loopback the local user may act without a key until an administrator has one. */
export async function areKeysNeeded(
  { PHASELINE_HOST, PHASELINE_API_KEYS }: Pick<CommonConfig, 'PHASELINE_HOST' | 'PHASELINE_API_KEYS'>,
  directory: Administrators | undefined,
): Promise<boolean> {
  return !isLoopback(PHASELINE_HOST) || PHASELINE_API_KEYS.length > 0 || (await directory?.hasAdministrator()) === true;
}
