import { join, resolve } from 'node:path';
import type { AuditKey } from '@phaseline/audit';
import type { CommandContext } from '../command/command-context.js';

export interface KeyPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly currentDirectory?: string;
  /** Of the local stack; default: PHASELINE_HOME. */
  readonly home?: string;
}

/**
 * The key for seals and exports: that of PHASELINE_AUDIT_KEY, else `audit-key.pem` in PHASELINE_HOME. The latter is made where there is
 * none; the former must be there, so that a wrong path does not begin a new key unseen. Throws AuditKeyUnusable.
 */
export async function auditKey(
  place: KeyPlace | CommandContext,
): Promise<{ readonly key: AuditKey; readonly path: string }> {
  const { openAuditKey, readAuditKey } = await import('@phaseline/audit');
  const { env, currentDirectory = process.cwd() } = place;
  const given = env.PHASELINE_AUDIT_KEY?.trim();
  if (given) {
    const path = resolve(currentDirectory, given);
    return { key: await readAuditKey(path), path };
  }
  const home =
    'home' in place && place.home ? place.home : resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  const path = join(home, 'audit-key.pem');
  return { key: await openAuditKey(path), path };
}
