import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { followOnListSchema, followOnsQuerySchema, type FollowOnList, type FollowOnsQuery } from '@phaseline/client';
import { FollowOnBatches } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { Requires } from '../access/requires.js';
import { AGENTS, type Agents } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';

/** Jobs that were started for what another job wrote to the cache. */
@ApiTags('jobs')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId/follow-ons')
export class FollowOnsController {
  constructor(
    @Inject(AGENTS) private readonly agents: Agents,
    private readonly views: JobViews,
    private readonly batches: FollowOnBatches,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listFollowOns',
    summary: 'The jobs of an agent that were started for requirements that a job wrote to the cache',
  })
  @ApiOkResponse({ standardSchema: followOnListSchema })
  @ApiProblems('invalid_request', 'job_not_found')
  async list(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(followOnsQuerySchema) }) { agent }: FollowOnsQuery,
  ): Promise<FollowOnList> {
    const jobId = jobIdOf(id);
    if (!(await this.views.get(jobId))) throw jobNotFound(jobId);
    if (!this.agents.list().items.some(({ name, startWhen }) => name === agent && startWhen)) {
      const message = `The agent ${agent} does not start by itself: its agent.yaml has no startWhen.`;
      throw new ApiProblem('invalid_request', message, { errors: [{ path: 'agent', message }] });
    }
    // Counted first: a requirement that enters a batch in between is then counted twice rather than not at all.
    const waiting = await this.batches.countWaiting(jobId, agent);
    const all = await this.batches.listOfJob(jobId, agent);
    return followOnListSchema.parse({
      items: all.filter(({ isSubmitted }) => isSubmitted),
      waiting: all.reduce((sum, { isSubmitted, ofJob }) => sum + (isSubmitted ? 0 : ofJob), waiting),
    });
  }
}
