/** The tactical worker as it ships, with the tools of the chaos agent beside its own. */
import { runPhaseWorker } from '@phaseline/phase-worker';
import { chaosPack } from '../agent/chaos-pack.js';
import { effectsFile } from './effects-file.js';

await runPhaseWorker('tactical', 7402, [chaosPack(effectsFile())]);
