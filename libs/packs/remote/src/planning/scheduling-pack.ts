import { schedulingSpec } from '@phaseline/pack-specs';
import { implementPack, type ToolPack } from '@phaseline/tools';
import { runScheduleGenerator } from './generate-schedule.js';
import type { PortfolioHost } from './portfolio-host.js';
import { runPortfolioProbe, runPortfolioRecheck } from './probe-portfolio.js';
import { runDependencyResolver } from './resolve-dependencies.js';

/** Creates the tools of the planner that compute for a long time or read other plans. */
export function createSchedulingPack(host: PortfolioHost): ToolPack {
  return implementPack(schedulingSpec, {
    dependency_resolver: runDependencyResolver,
    schedule_generator: runScheduleGenerator,
    portfolio_probe: runPortfolioProbe(host),
    portfolio_recheck: runPortfolioRecheck(host),
  });
}
