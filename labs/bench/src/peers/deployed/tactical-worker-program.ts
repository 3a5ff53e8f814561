/** The tactical worker with the tool of the benchmark added. */
import { runPhaseWorker } from '@phaseline/workers';
import { stepPack } from '../../step-calls.js';

await runPhaseWorker('tactical', 7402, [stepPack]);
