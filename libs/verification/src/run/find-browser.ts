import { ToolError } from '@phaseline/contracts';
import type { Sandbox } from '@phaseline/sandbox';

/** Variable with which a verifier of the kind `browser` finds Chromium, such as for `executablePath` of playwright-core. */
export const BROWSER_VARIABLE = 'CHROMIUM';
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the path of Chromium, as commands see it. Throws ToolError `program_missing` where it is not installed. */
export async function findBrowser(sandbox: Sandbox, path: readonly string[] = []): Promise<string> {
  for (const program of PROGRAMS) {
    const found = await sandbox.findProgram(program, [program], path).catch((error: unknown) => {
      if (error instanceof ToolError && error.code === 'program_missing') return undefined;
      throw error;
    });
    if (found !== undefined) return found;
  }
  throw new ToolError(
    'program_missing',
    'Chromium is not installed on this machine, so a verifier of the kind browser cannot run. An operator can install it (apt-get install chromium).',
  );
}
