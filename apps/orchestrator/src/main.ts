import { bootstrapService } from '@phaseline/service';
import { orchestratorConfigSchema } from './orchestrator-config.js';
import { orchestratorService } from './orchestrator-service.js';

await bootstrapService(orchestratorConfigSchema, orchestratorService);
