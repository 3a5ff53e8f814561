import { join, resolve } from 'node:path';
import type { AuditKey } from '@phaseline/audit';
import { getHomeDirectory } from '../connection/home-directory.js';
import type { CommandContext } from '../command/command-context.js';

export interface AuditKeyLocation {
  readonly env: NodeJS.ProcessEnv;
  readonly currentDirectory?: string;
  /** Folder of the local stack; default: PHASELINE_HOME. */
  readonly home?: string;
}

/**
 * Opens the key that signs anchors and exports: PHASELINE_AUDIT_KEY_FILE, else `audit-key.pem` in PHASELINE_HOME, which is created if
 * missing. The file of PHASELINE_AUDIT_KEY_FILE must exist: a wrong path must not silently create a new key. Throws AuditKeyUnusable.
 */
export async function loadAuditKey(
  place: AuditKeyLocation | CommandContext,
): Promise<{ readonly key: AuditKey; readonly path: string }> {
  const { openAuditKey, readAuditKey } = await import('@phaseline/audit');
  const { env, currentDirectory = process.cwd() } = place;
  const configured = env.PHASELINE_AUDIT_KEY_FILE?.trim();
  if (configured) {
    const path = resolve(currentDirectory, configured);
    return { key: await readAuditKey(path), path };
  }
  const home = 'home' in place && place.home ? place.home : getHomeDirectory(env, currentDirectory);
  const path = join(home, 'audit-key.pem');
  return { key: await openAuditKey(path), path };
}
