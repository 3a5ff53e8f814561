import { InvalidDefinitions, loadGuardFolders } from '@phaseline/definitions';
import type { Guard } from '@phaseline/domain';
import { exitCode, StartupError } from '@phaseline/service';

/** Injection token of the guards that apply to the jobs of every tenant. */
export const INSTALLATION_GUARDS = Symbol('installation guards');

class GuardsUnusable extends StartupError {
  readonly code = 'definitions_invalid';
  readonly exitCode = exitCode.config;
}

/**
 * Loads the guards of the installation, once: a guard that changed while jobs run would hold for some phases only. Throws GuardsUnusable if one of
 * them is invalid, because the service must not run without it.
 */
export async function loadInstallationGuards(folders: readonly string[]): Promise<readonly Guard[]> {
  try {
    return await loadGuardFolders(folders, 'system');
  } catch (error) {
    if (error instanceof InvalidDefinitions) throw new GuardsUnusable(error.message);
    throw error;
  }
}
