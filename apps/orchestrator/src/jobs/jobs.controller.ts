import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import {
  cancelRequestSchema,
  cancelResponseSchema,
  ENCRYPT_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  jobPageSchema,
  jobSummarySchema,
  listJobsQuerySchema,
  routes,
  type CancelRequest,
  type CancelResponse,
  type JobPage,
  type JobSummary,
  type ListJobsQuery,
} from '@phaseline/client';
import { identifyKeyOwner, isEnded, submitResponseSchema, type SubmitResponse, type JobId } from '@phaseline/contracts';
import { JobDriver } from '@phaseline/orchestration';
import { JobRepository } from '@phaseline/repository';
import { JobViews } from '@phaseline/projections';
import { hasRight, listTenantsWithRight, toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseTenant, DEFAULT_TENANT } from '../access/choose-tenant.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { WaitExplainer } from '../doctor/waits-for.js';
import { SUBMIT_REQUEST_REF } from '../docs/submit-body.js';
import { openSummary } from '../erase/open-summary.js';
import { jobNotFound } from '../problem/api-problem.js';
import { jobIdOf } from './job-id.js';
import { listJobs } from './list-jobs.js';
import { requireJobOutcome, ControlHeadersParam, ApiControlHeaders, type ControlHeaders } from './control-headers.js';
import { readSubmission } from './read-submission.js';
import { Submissions } from './submissions.js';
import { toJobSummary } from './to-job-summary.js';
import { traceParentOf } from './trace-parent.js';

const LIST_DESCRIPTION =
  'Conditions are combined with AND, several values of one with OR, labels with AND. A page may be short, or empty, although it has a ' +
  '"nextCursor": one request reads at most 10,000 jobs for `text` and `updatedBefore`, which have no index.';

@ApiTags('jobs')
@Controller('v1/jobs')
export class JobsController {
  constructor(
    private readonly submissions: Submissions,
    private readonly views: JobViews,
    private readonly driver: JobDriver,
    private readonly waiter: WaitExplainer,
    private readonly repository: JobRepository,
  ) {}

  @Post()
  @Requires('jobs:submit')
  @ApiOperation({
    operationId: 'submitJob',
    summary: 'Submit a job',
    description: 'Returns 201 with a new job, or 200 with the one that the same idempotency key created before.',
  })
  @ApiHeader({
    name: IDEMPOTENCY_KEY_HEADER,
    required: false,
    description: 'Repeated requests with the same key and content return the same job.',
  })
  @ApiHeader({
    name: ENCRYPT_HEADER,
    required: false,
    description: '"true" encrypts the job, like "encrypt" in the body. Required for a form whose files come first.',
  })
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiBody({ schema: { $ref: SUBMIT_REQUEST_REF } })
  @ApiCreatedResponse({ standardSchema: submitResponseSchema })
  @ApiOkResponse({ standardSchema: submitResponseSchema })
  @ApiProblems(
    'invalid_request',
    'unknown_agent',
    'document_unusable',
    'verifier_invalid',
    'idempotency_conflict',
    'repository_unavailable',
    'content_erased',
    'encryption_unavailable',
    'document_too_large',
    'request_too_large',
    'unsupported_media_type',
  )
  async submit(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubmitResponse> {
    const submission = await readSubmission(request, this.submissions);
    const caller = getCaller(request);
    const tenant = chooseTenant(caller, 'jobs:submit', submission.tenant);
    const actor = toActor(caller);
    const { jobId, created } = await this.submissions.submit(
      {
        ...submission,
        ...(tenant === DEFAULT_TENANT ? {} : { tenant }),
        actorId: identifyKeyOwner(actor),
        mayActForOthers: hasRight(caller, 'act:on-behalf-of', tenant),
      },
      { actor, ...traceParentOf(request.headers['traceparent']) },
    );
    void reply.status(created ? 201 : 200).header('location', routes.job(jobId));
    return { jobId, created, status: created ? 'submitted' : (await this.view(jobId)).status };
  }

  @Get()
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'listJobs', summary: 'List jobs', description: LIST_DESCRIPTION })
  @ApiOkResponse({ standardSchema: jobPageSchema })
  @ApiProblems('invalid_request')
  list(
    @Query({ schema: toDescribableQuery(listJobsQuerySchema) }) filter: ListJobsQuery,
    @Req() request: FastifyRequest,
  ): Promise<JobPage> {
    return listJobs(this.views, filter, listTenantsWithRight(getCaller(request), 'jobs:read'));
  }

  @Get(':jobId')
  @Requires('jobs:read')
  @ApiOperation({
    operationId: 'getJob',
    summary: 'Get a job: status, phase, todos, usage, result, and what it waits for',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: jobSummarySchema })
  @ApiProblems('job_not_found')
  async get(@Param('jobId') id: string): Promise<JobSummary> {
    const jobId = jobIdOf(id);
    const view = await this.view(jobId);
    const waitsFor = isEnded(view.status) ? undefined : await this.waiter.explain(jobId);
    return openSummary(this.repository, { ...view, ...(waitsFor ? { waitsFor } : {}) });
  }

  @Post(':jobId/cancel')
  @Requires('jobs:control')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'cancelJob',
    summary: 'Cancel a job',
    description: 'Cancelling twice, or a job that has ended, is not an error: "changed" is then false.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: cancelResponseSchema })
  @ApiControlHeaders()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  async cancel(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: cancelRequestSchema.prefault({}) }) request: CancelRequest,
  ): Promise<CancelResponse> {
    const jobId = jobIdOf(id);
    await this.view(jobId);
    const { actor } = order;
    const { reason = 'cancelled by request', ifUnchangedSince } = request;
    const options = { ...order, ifUnchangedSince };
    const outcome = requireJobOutcome(
      jobId,
      await this.driver.control(jobId, { action: 'cancel', actor, reason }, options),
    );
    return { jobId, changed: outcome.kind !== 'refused', status: (await this.view(jobId)).status };
  }

  private async view(jobId: JobId): Promise<JobSummary> {
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    return toJobSummary(view);
  }
}
