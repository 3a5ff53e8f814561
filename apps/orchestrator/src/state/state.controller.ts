import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { atQuerySchema, jobStateSchema, type AtQuery, type JobStateResponse } from '@phaseline/client';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { JobHistory } from './job-history.js';
import { buildStateResponse } from './state-response.js';

@ApiTags('state')
@Controller('v1/jobs/:jobId/state')
export class StateController {
  constructor(private readonly history: JobHistory) {}

  @Get()
  @ApiOperation({
    operationId: 'readState',
    summary: 'A job as of an event',
    description: 'The fold of the log up to and including the position "at"; the current state when it is absent.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: jobStateSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async read(
    @Param('jobId') jobId: string,
    @Query({ schema: toDescribableQuery(atQuerySchema) }) { at }: AtQuery,
  ): Promise<JobStateResponse> {
    return buildStateResponse(await this.history.at(jobIdOf(jobId), at));
  }
}
