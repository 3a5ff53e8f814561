import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  atQuerySchema,
  diffQuerySchema,
  jobComparisonSchema,
  jobDiffSchema,
  jobStateSchema,
  type AtQuery,
  type DiffQuery,
  type JobComparisonResponse,
  type JobDiffResponse,
  type JobStateResponse,
} from '@phaseline/client';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { JobHistory } from './job-history.js';
import { buildStateResponse } from './state-response.js';

@ApiTags('state')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId')
export class StateController {
  constructor(private readonly history: JobHistory) {}

  @Get('state')
  @ApiOperation({
    operationId: 'readState',
    summary: 'A job as of an event',
    description: 'The fold of the log up to and including the position "at"; the current state when it is absent.',
  })
  @ApiOkResponse({ standardSchema: jobStateSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async read(
    @Param('jobId') jobId: string,
    @Query({ schema: toDescribableQuery(atQuerySchema) }) { at }: AtQuery,
  ): Promise<JobStateResponse> {
    return buildStateResponse(await this.history.at(jobIdOf(jobId), at));
  }

  @Get('diff')
  @ApiOperation({
    operationId: 'diffJob',
    summary: 'Compare a job at two positions',
    description: 'Phases, todos, files and money; with "patches=true" unified diffs of small text files.',
  })
  @ApiOkResponse({ standardSchema: jobDiffSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'file_removed', 'file_damaged')
  async diff(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(diffQuerySchema) }) { from, to, patches }: DiffQuery,
  ): Promise<JobDiffResponse> {
    const jobId = jobIdOf(id);
    return jobDiffSchema.parse({ jobId, ...(await this.history.diff(jobId, from, to, patches === 'true')) });
  }

  @Get('compare/:otherJobId')
  @ApiOperation({
    operationId: 'compareJobs',
    summary: 'Compare two jobs',
    description: 'Usually a job and its fork: outcome, steps, tokens, money, files, and their first difference.',
  })
  @ApiParam({ name: 'otherJobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: jobComparisonSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async compare(@Param('jobId') id: string, @Param('otherJobId') otherId: string): Promise<JobComparisonResponse> {
    return jobComparisonSchema.parse(await this.history.compare(jobIdOf(id), jobIdOf(otherId)));
  }
}
