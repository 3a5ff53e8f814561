/** The tactical worker with the tools of the chaos agent added. */
import { runPhaseWorker } from '@phaseline/workers';
import { createChaosPack } from '../agent/chaos-pack.js';
import { effectsFile } from './effects-file.js';

await runPhaseWorker('tactical', 7402, [createChaosPack(effectsFile())]);
