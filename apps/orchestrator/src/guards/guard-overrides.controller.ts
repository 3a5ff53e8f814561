import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  controlResponseSchema,
  overrideGuardRequestSchema,
  revokeGuardOverrideRequestSchema,
  type ControlResponse,
  type ParsedOverrideGuardRequest,
  type RevokeGuardOverrideRequest,
} from '@phaseline/client';
import type { ControlRequest, Guard } from '@phaseline/domain';
import type { JobId } from '@phaseline/contracts';
import { JobDriver } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { JobRepository } from '@phaseline/repository';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { requireRight } from '../access/access-guard.js';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import {
  ApiControlHeaders,
  ControlHeadersParam,
  requireJobOutcome,
  type ControlHeaders,
} from '../jobs/control-headers.js';
import { jobIdOf } from '../jobs/job-id.js';
import { toJobSummary } from '../jobs/to-job-summary.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { findScopeOfGuard } from './find-guard-of-job.js';
import { SharedGuards } from './shared-guards.js';

/** Overrides of guards in single jobs. A guard of the installation also needs the right `guards:override-system`. */
@ApiTags('guards')
@ApiParam({ name: 'jobId', format: 'uuid' })
@ApiParam({ name: 'name' })
@Controller('v1/jobs/:jobId/guards/:name')
@Requires('guards:override')
export class GuardOverridesController {
  constructor(
    private readonly driver: JobDriver,
    private readonly repository: JobRepository,
    private readonly shared: SharedGuards,
    private readonly views: JobViews,
    private readonly tenants: JobTenants,
  ) {}

  @Post('override')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'overrideGuard',
    summary: 'Let the calls of one job pass a guard, until the override expires',
    description:
      'What the guard decides is still recorded, with the override. A guard of the installation needs the right `guards:override-system`.',
  })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @ApiControlHeaders()
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'guard_not_found',
    'request_refused',
    'idempotency_conflict',
    'not_ready',
  )
  async override(
    @Param('jobId') id: string,
    @Param('name') guard: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: overrideGuardRequestSchema }) { scope, reason, expiresInMs }: ParsedOverrideGuardRequest,
    @Req() request: FastifyRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const place = { guard, scope: await this.findScope(jobId, guard, scope, request) };
    return this.apply(jobId, { action: 'override-guard', actor: order.actor, ...place, reason, expiresInMs }, order);
  }

  @Post('revoke')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'revokeGuardOverride',
    summary: 'End the overrides of a guard in one job before they expire',
  })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @ApiControlHeaders()
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'guard_not_found',
    'request_refused',
    'idempotency_conflict',
    'not_ready',
  )
  async revoke(
    @Param('jobId') id: string,
    @Param('name') guard: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: revokeGuardOverrideRequestSchema }) { scope, reason }: RevokeGuardOverrideRequest,
    @Req() request: FastifyRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const place = { guard, scope: await this.findScope(jobId, guard, scope, request) };
    return this.apply(jobId, { action: 'revoke-guard-override', actor: order.actor, ...place, reason }, order);
  }

  /** Finds the guard, and refuses a caller that may not override guards of its scope. */
  private async findScope(
    jobId: JobId,
    guard: string,
    chosen: Guard['scope'] | undefined,
    request: FastifyRequest,
  ): Promise<Guard['scope']> {
    const scope = await findScopeOfGuard(jobId, guard, chosen, { repository: this.repository, shared: this.shared });
    if (scope === 'system') {
      const tenant = await this.tenants.find(jobId);
      if (tenant === undefined) throw jobNotFound(jobId);
      requireRight(getCaller(request), 'guards:override-system', tenant);
    }
    return scope;
  }

  private async apply(jobId: JobId, request: ControlRequest, order: ControlHeaders): Promise<ControlResponse> {
    const outcome = requireJobOutcome(jobId, await this.driver.control(jobId, request, order));
    if (outcome.kind === 'refused')
      throw new ApiProblem(outcome.code ?? 'request_refused', `Not done: ${outcome.reason}.`);
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    return { jobId, changed: outcome.kind === 'recorded', status: toJobSummary(view).status };
  }
}
