import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  costReportSchema,
  costsQuerySchema,
  phaseListSchema,
  phasesQuerySchema,
  queueHistoryQuerySchema,
  queueHistorySchema,
  toolCallPageSchema,
  toolCallsQuerySchema,
  type CostReport,
  type CostsQuery,
  type PhaseList,
  type PhasesQuery,
  type QueueHistory,
  type QueueHistoryQuery,
  type ToolCallPage,
  type ToolCallsQuery,
} from '@phaseline/client';
import { DatabaseClock } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import { hasRight, listTenantsWithRight } from '@phaseline/identity';
import { ReadModelQueries } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { toPhaseRecord, toToolCallRecord } from './to-records.js';

/** Queries of the read models other than that of jobs. */
@ApiTags('read models')
@Controller('v1')
export class ReadModelsController {
  constructor(
    private readonly queries: ReadModelQueries,
    private readonly tenants: JobTenants,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('phases')
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'listPhases', summary: 'The phases of a job, in order' })
  @ApiOkResponse({ standardSchema: phaseListSchema })
  @ApiProblems('invalid_request')
  async phases(
    @Query({ schema: toDescribableQuery(phasesQuerySchema) }) { jobId }: PhasesQuery,
    @Req() request: FastifyRequest,
  ): Promise<PhaseList> {
    if (!(await this.mayRead(request, jobId))) return { items: [] };
    return { items: (await this.queries.phases(jobId)).map(toPhaseRecord) };
  }

  @Get('tool-calls')
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'listToolCalls', summary: 'The tool calls of a job, in the order of their requests' })
  @ApiOkResponse({ standardSchema: toolCallPageSchema })
  @ApiProblems('invalid_request')
  async toolCalls(
    @Query({ schema: toDescribableQuery(toolCallsQuerySchema) }) { jobId, phase, after, limit }: ToolCallsQuery,
    @Req() request: FastifyRequest,
  ): Promise<ToolCallPage> {
    if (!(await this.mayRead(request, jobId))) return { items: [] };
    // One more row than requested shows whether there is a next page.
    const rows = await this.queries.toolCalls({ jobId, phase, after, limit: limit + 1 });
    const items = rows.slice(0, limit).map(toToolCallRecord);
    const last = items.at(-1);
    return { items, ...(rows.length > limit && last ? { nextAfter: last.position } : {}) };
  }

  @Get('costs')
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'readCosts', summary: 'Usage and cost of models, by agent, model, day, tenant or job' })
  @ApiOkResponse({ standardSchema: costReportSchema })
  @ApiProblems('invalid_request')
  async costs(
    @Query({ schema: toDescribableQuery(costsQuerySchema) }) costsQuery: CostsQuery,
    @Req() request: FastifyRequest,
  ): Promise<CostReport> {
    const tenants = listTenantsWithRight(getCaller(request), 'jobs:read');
    const { groups, total } = await this.queries.costs({
      ...costsQuery,
      from: this.toDay(costsQuery.from),
      to: this.toDay(costsQuery.to),
      ...(tenants === 'all' ? {} : { tenants }),
    });
    return { by: costsQuery.by, items: groups.map(({ key, ...usage }) => ({ key, usage })), total };
  }

  @Get('queue-history')
  @Requires('queues:read')
  @ApiOperation({
    operationId: 'readQueueHistory',
    summary: 'Work due on each queue, minute by minute, derived from the log',
  })
  @ApiOkResponse({ standardSchema: queueHistorySchema })
  @ApiProblems('invalid_request')
  async queueHistory(
    @Query({ schema: toDescribableQuery(queueHistoryQuerySchema) }) { minutes }: QueueHistoryQuery,
  ): Promise<QueueHistory> {
    return { items: [...(await this.queries.queueHistory(minutes))] };
  }

  private toDay(day: string | undefined): string | undefined {
    return day === 'today' ? this.clock.now().toISOString().slice(0, 10) : day;
  }

  /** A job of another tenant has no rows, as a job that does not exist. */
  private async mayRead(request: FastifyRequest, jobId: JobId): Promise<boolean> {
    const tenant = await this.tenants.find(jobId);
    return tenant !== undefined && hasRight(getCaller(request), 'jobs:read', tenant);
  }
}
