import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@phaseline/sandbox';
import { VerifierFolders } from '@phaseline/verification';
import { LabAgents } from './load-agents.js';
import type { Lab } from './play-job.js';

/** Opens a lab in a temporary folder. `close` removes the folder. */
export async function openLab(): Promise<{ readonly lab: Lab; readonly close: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'phaseline-lazy-'));
  const lab = {
    agents: await LabAgents.load(),
    sandbox: new Sandbox({ mode: 'auto' }),
    workFolder: join(root, 'work'),
    verifierFolders: new VerifierFolders(join(root, 'verifiers')),
  };
  return { lab, close: () => rm(root, { recursive: true, force: true, maxRetries: 3 }) };
}
