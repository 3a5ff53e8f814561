import { runPhaseWorker } from '@phaseline/workers';

await runPhaseWorker('tactical', 7402);
