import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  bulkRequestSchema,
  bulkResponseSchema,
  jobFacetsSchema,
  type BulkRequest,
  type BulkResponse,
  type JobFacets,
} from '@phaseline/client';
import { listTenantsWithRight } from '@phaseline/identity';
import { JobViews } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { BulkControl } from './bulk-control.js';
import { ApiControlHeaders, ControlHeadersParam, type ControlHeaders } from './control-headers.js';

/** The values of filter menus; more exist rarely, and are found by typing them. */
const MAX_VALUES = 200;

/** All jobs of the tenants of the caller: numbers, and requests to many. */
@ApiTags('jobs')
@Controller('v1/jobs')
export class JobSetsController {
  constructor(
    private readonly views: JobViews,
    private readonly bulkControl: BulkControl,
  ) {}

  @Get('facets')
  @Requires('jobs:read')
  @ApiOperation({
    operationId: 'countJobs',
    summary: 'Numbers of jobs by status, agent, tenant and what they wait for',
  })
  @ApiOkResponse({ standardSchema: jobFacetsSchema })
  async countFacets(@Req() request: FastifyRequest): Promise<JobFacets> {
    const facets = await this.views.countFacets(listTenantsWithRight(getCaller(request), 'jobs:read'));
    return {
      statuses: [...facets.statuses],
      agents: facets.agents.slice(0, MAX_VALUES),
      tenants: facets.tenants.slice(0, MAX_VALUES),
      waitsFor: [...facets.waitsFor],
    };
  }

  @Post('bulk')
  @Requires('jobs:control')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'controlJobs',
    summary: 'Pause, resume, cancel, retry or steer many jobs',
    description:
      'For at most 500 jobs, given by their ids or by a filter. Each is decided like a request to that job alone, and has its own ' +
      'outcome. A job that the caller may not see has the outcome of one that does not exist. With a filter, "remaining" is the ' +
      'number of jobs that were left; send the request again with "nextCursor" as "cursor" for them.',
  })
  @ApiOkResponse({ standardSchema: bulkResponseSchema })
  @ApiControlHeaders()
  @ApiProblems('invalid_request', 'request_refused')
  control(
    @Req() request: FastifyRequest,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: bulkRequestSchema }) body: BulkRequest,
  ): Promise<BulkResponse> {
    return this.bulkControl.apply(body, getCaller(request), order);
  }
}
