import { Readable } from 'node:stream';
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import {
  jobRepositorySchema,
  outputRequestedSchema,
  patchRequestSchema,
  publishRequestSchema,
  type JobRepositoryResponse,
  type OutputRequested,
  type PatchRequest,
  type PublishRequest,
} from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { ContentErased, EventStore } from '@phaseline/event-store';
import { requestOutput, type OutputRequest } from '@phaseline/orchestration';
import { Queues } from '@phaseline/queue';
import { JobRepository } from '@phaseline/repository';
import { toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { toJobRepository } from './to-job-repository.js';

@ApiTags('repository')
@Controller('v1/jobs/:jobId/repository')
export class RepositoryController {
  constructor(
    private readonly store: EventStore,
    private readonly repository: JobRepository,
    private readonly queues: Queues,
  ) {}

  @Get()
  @Requires('files:read')
  @ApiOperation({ operationId: 'getRepository', summary: 'The repository of a job, and the outputs of its changes' })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: jobRepositorySchema })
  @ApiProblems('job_not_found', 'job_unreadable', 'request_refused')
  async show(@Param('jobId') id: string): Promise<JobRepositoryResponse> {
    const jobId = jobIdOf(id);
    const job = await this.repository.loadJob(jobId);
    if (!job) throw jobNotFound(jobId);
    const response = toJobRepository(job);
    if (!response) throw new ApiProblem('request_refused', 'The job has no repository.');
    return response;
  }

  @Post('patch')
  @HttpCode(202)
  @Requires('files:read')
  @ApiOperation({
    operationId: 'requestPatch',
    summary: 'Make a patch of the changes of a job',
    description: 'The tool-runner makes it; read the repository of the job until its status is no longer "open".',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiAcceptedResponse({ standardSchema: outputRequestedSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'request_refused')
  requestPatch(
    @Param('jobId') id: string,
    @Body({ schema: patchRequestSchema.prefault({}) }) { draft }: PatchRequest,
    @Req() request: FastifyRequest,
  ): Promise<OutputRequested> {
    return this.request(jobIdOf(id), { kind: 'patch', draft }, request);
  }

  @Get('patch')
  @Requires('files:read')
  @ApiOperation({
    operationId: 'readPatch',
    summary: 'The last patch that was made, for "git am" on the imported commit',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  @ApiProblems('job_not_found', 'job_unreadable', 'file_not_found', 'content_erased', 'file_damaged')
  async readPatch(@Param('jobId') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Readable> {
    const jobId = jobIdOf(id);
    const job = await this.repository.loadJob(jobId);
    if (!job) throw jobNotFound(jobId);
    if (job.erased) throw new ContentErased(jobId);
    const patch = Object.values(job.repository?.outputs ?? {}).findLast(({ made }) => made?.patch)?.made?.patch;
    if (!patch)
      throw new ApiProblem(
        'file_not_found',
        `No patch was made yet. POST /v1/jobs/${jobId}/repository/patch makes one.`,
      );
    void reply.headers({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="job_${jobId}.patch"`,
      'content-length': String(patch.size),
      'x-content-type-options': 'nosniff',
    });
    return Readable.from(this.store.blobs.forJob(jobId).stream(patch.hash), { objectMode: false });
  }

  @Post('outputs')
  @HttpCode(202)
  @Requires('repository:publish')
  @ApiOperation({
    operationId: 'publishRepository',
    summary: 'Push the changes of a job as a branch, or open a pull request',
    description: 'The tool-runner makes it; read the repository of the job until its status is no longer "open".',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiAcceptedResponse({ standardSchema: outputRequestedSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'request_refused')
  publish(
    @Param('jobId') id: string,
    @Body({ schema: publishRequestSchema }) publish: PublishRequest,
    @Req() request: FastifyRequest,
  ): Promise<OutputRequested> {
    return this.request(jobIdOf(id), publish, request);
  }

  private async request(jobId: JobId, output: OutputRequest, request: FastifyRequest): Promise<OutputRequested> {
    const { store, repository, queues: sender } = this;
    const origin = { actor: toActor(getCaller(request)) };
    const outcome = await requestOutput({ store, repository, sender }, jobId, output, origin);
    if (outcome.kind === 'no-such-job') throw jobNotFound(jobId);
    if (outcome.kind === 'refused') throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    return { jobId, output: outcome.output, created: outcome.created };
  }
}
