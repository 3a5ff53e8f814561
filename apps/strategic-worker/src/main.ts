import { runPhaseWorker } from '@phaseline/phase-worker';

await runPhaseWorker('strategic', 7401);
