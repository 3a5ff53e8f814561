import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InheritanceRecord {
  /** Process ids of the programs that got the environment of this process since the start of the record. */
  listHeirs(): readonly string[];
  /** Ends the record. */
  end(): void;
}

/**
 * Records which programs get the environment of this process, however short they run: with these variables, the dynamic linker of the GNU C
 * library writes a file per program.
 */
export function recordInheritance(): InheritanceRecord {
  const folder = mkdtempSync(join(tmpdir(), 'phaseline-heirs-'));
  const variables = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(folder, 'heir') };
  Object.assign(process.env, variables);
  return {
    listHeirs: () => readdirSync(folder).map((name) => name.slice('heir.'.length)),
    end: () => {
      for (const name of Object.keys(variables)) delete process.env[name];
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
