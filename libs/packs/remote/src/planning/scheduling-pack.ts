import { schedulingSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { runScheduleGenerator } from './generate-schedule.js';
import { runDependencyResolver } from './resolve-dependencies.js';

/** Tools of the planner that compute for a long time. */
export const schedulingPack = implementPack(schedulingSpec, {
  dependency_resolver: runDependencyResolver,
  schedule_generator: runScheduleGenerator,
});
