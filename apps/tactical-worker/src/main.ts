import { runPhaseWorker } from '@phaseline/phase-worker';

await runPhaseWorker('tactical', 7402);
