/** The tactical worker with the tool of the benchmark added. */
import { runPhaseWorker } from '@phaseline/workers';
import { echoPack } from '../../echo-pack.js';

await runPhaseWorker('tactical', 7402, [echoPack]);
