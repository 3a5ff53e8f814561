import { runPhaseWorker } from '@phaseline/workers';

await runPhaseWorker('strategic', 7401);
