import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { eraseRequestSchema, eraseResponseSchema, type EraseRequest, type EraseResponse } from '@phaseline/client';
import { DatabaseClock } from '@phaseline/cluster';
import { EventStore } from '@phaseline/event-store';
import { toActor } from '@phaseline/identity';
import { JobRepository } from '@phaseline/repository';
import { eraseJob } from '@phaseline/orchestration';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { toErasure } from './open-summary.js';

@ApiTags('control')
@Requires('jobs:erase')
@Controller('v1/jobs/:jobId/erase')
export class EraseController {
  constructor(
    private readonly store: EventStore,
    private readonly repository: JobRepository,
    private readonly clock: DatabaseClock,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'eraseJob',
    summary: 'Erase the content of an encrypted job permanently',
    description:
      'Destroys the key of the job and its files. The log still records that the job existed and how it ended, and can still be verified. ' +
      'The request is refused if the job has not ended: cancel it first. Erasing again changes nothing.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: eraseResponseSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable', 'request_refused')
  async erase(
    @Param('jobId') id: string,
    @Body({ schema: eraseRequestSchema.prefault({}) }) { reason = '' }: EraseRequest,
    @Req() request: FastifyRequest,
  ): Promise<EraseResponse> {
    const jobId = jobIdOf(id);
    const { store, clock } = this;
    const actor = toActor(getCaller(request));
    const outcome = await eraseJob({ store, clock }, jobId, { actor, reason });
    if (outcome.kind === 'no-such-job') throw jobNotFound(jobId);
    if (outcome.kind === 'refused') throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    const job = await this.repository.loadJob(jobId);
    if (!job?.erased) throw new Error(`job ${jobId} was erased, but its log does not record it`);
    return { jobId, changed: outcome.kind === 'erased', erasure: toErasure(job.erased) };
  }
}
