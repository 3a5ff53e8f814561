import { Body, Controller, Delete, Get, Param, Put, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  holdPageSchema,
  holdRequestSchema,
  holdResponseSchema,
  holdsQuerySchema,
  releaseHoldQuerySchema,
  type HoldPage,
  type HoldRecord,
  type HoldRequest,
  type HoldResponse,
  type HoldsQuery,
  type ReleaseHoldQuery,
} from '@phaseline/client';
import { ContentErased, EventStore } from '@phaseline/event-store';
import { listTenantsWithRight, toActor } from '@phaseline/identity';
import { holdJob, listHolds, type Hold } from '@phaseline/orchestration';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { PageCursor } from '../docs/page-cursor.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { jobNotFound } from '../problem/api-problem.js';

const cursors = new PageCursor('holds');

/** Legal holds. Nothing of a job on hold is removed or erased. */
@ApiTags('retention')
@Controller('v1')
@Requires('holds:manage')
export class HoldsController {
  constructor(
    private readonly store: EventStore,
    @InjectPool() private readonly pool: Pool,
  ) {}

  @Get('holds')
  @ApiOperation({ operationId: 'listHolds', summary: 'List the legal holds on jobs, oldest first' })
  @ApiOkResponse({ standardSchema: holdPageSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async list(
    @Query({ schema: toDescribableQuery(holdsQuerySchema) }) { cursor, limit, ...filter }: HoldsQuery,
    @Req() request: FastifyRequest,
  ): Promise<HoldPage> {
    const tenants = listTenantsWithRight(getCaller(request), 'holds:manage');
    const after = cursor === undefined ? 0 : cursors.decode(cursor);
    // One more hold than requested shows whether there is a next page.
    const found = await listHolds(this.store, this.pool, { ...filter, tenants, after, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(toRecord),
      ...(found.length > limit && last ? { nextCursor: cursors.encode(last.position) } : {}),
    };
  }

  @Put('jobs/:jobId/hold')
  @ApiOperation({
    operationId: 'placeHold',
    summary: 'Place a legal hold on a job',
    description:
      'Nothing of the job is removed or erased until the hold is released. The job may run. A second hold changes nothing.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: holdResponseSchema })
  @ApiProblems('invalid_request', 'forbidden', 'job_not_found', 'job_unreadable', 'content_erased')
  place(
    @Param('jobId') id: string,
    @Body({ schema: holdRequestSchema }) { reason }: HoldRequest,
    @Req() request: FastifyRequest,
  ): Promise<HoldResponse> {
    return this.change(id, reason, request, false);
  }

  @Delete('jobs/:jobId/hold')
  @ApiOperation({ operationId: 'releaseHold', summary: 'Release the legal hold on a job' })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: holdResponseSchema })
  @ApiProblems('invalid_request', 'forbidden', 'job_not_found', 'job_unreadable', 'content_erased')
  release(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(releaseHoldQuerySchema) }) { reason }: ReleaseHoldQuery,
    @Req() request: FastifyRequest,
  ): Promise<HoldResponse> {
    return this.change(id, reason, request, true);
  }

  private async change(
    id: string,
    reason: string,
    request: FastifyRequest,
    isReleased: boolean,
  ): Promise<HoldResponse> {
    const jobId = jobIdOf(id);
    const actor = toActor(getCaller(request));
    const outcome = await holdJob(this.store, jobId, { actor, reason, isReleased });
    if (outcome === 'no-such-job') throw jobNotFound(jobId);
    if (outcome === 'erased') throw new ContentErased(jobId);
    return { jobId, held: !isReleased, changed: outcome === 'recorded' };
  }
}

function toRecord({ jobId, tenant, actor, reason, placedAt }: Hold): HoldRecord {
  const given = reason === undefined ? {} : { reason };
  return { jobId, tenant, actor, ...given, placedAt: placedAt.toISOString() };
}
