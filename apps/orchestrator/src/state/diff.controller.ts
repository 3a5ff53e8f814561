import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  diffQuerySchema,
  jobComparisonSchema,
  jobDiffSchema,
  type DiffQuery,
  type JobComparisonResponse,
  type JobDiffResponse,
} from '@phaseline/client';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { JobHistory } from './job-history.js';

@ApiTags('state')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Controller('v1/jobs/:jobId')
export class DiffController {
  constructor(private readonly history: JobHistory) {}

  @Get('diff')
  @ApiOperation({
    operationId: 'diffJob',
    summary: 'Compare a job at two positions',
    description: 'Phases, todos, files and money; with "patches=true" unified diffs of small text files.',
  })
  @ApiOkResponse({ standardSchema: jobDiffSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
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
