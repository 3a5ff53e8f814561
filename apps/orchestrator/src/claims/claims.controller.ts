import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { claimPageSchema, claimsQuerySchema, type ClaimPage, type ClaimsQuery } from '@phaseline/client';
import { ContentErased, EventStore } from '@phaseline/event-store';
import { listClaims } from '@phaseline/time-travel';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { JobHistory } from '../state/job-history.js';

/** Lists what the agent of a job said is done, with the evidence or the reason of the refusal. */
@ApiTags('jobs')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId/claims')
export class ClaimsController {
  constructor(
    private readonly history: JobHistory,
    private readonly store: EventStore,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'listClaims',
    summary: 'The claims of a job: what was said to be done, with evidence or the reason of the refusal',
    description: 'In the order in which they were decided, or raised if they are open.',
  })
  @ApiOkResponse({ standardSchema: claimPageSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'content_erased')
  async list(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(claimsQuerySchema) }) { after = 0, limit }: ClaimsQuery,
  ): Promise<ClaimPage> {
    const jobId = jobIdOf(id);
    if ((await this.history.at(jobId)).job.erased) throw new ContentErased(jobId);
    const claims = (await listClaims(this.store, jobId)).filter(({ event }) => event.position > after);
    const items = claims.slice(0, limit);
    const nextAfter = claims.length > limit ? items.at(-1)?.event.position : undefined;
    return claimPageSchema.parse({ jobId, items, nextAfter });
  }
}
