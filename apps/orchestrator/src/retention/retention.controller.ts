import { Body, Controller, Get, HttpCode, Param, Post, Put, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  retentionRunJobPageSchema,
  retentionRunJobsQuerySchema,
  retentionRunRequestSchema,
  retentionRunSchema,
  retentionSchema,
  retentionSettingSchema,
  setRetentionRequestSchema,
  type ParsedRetentionRunRequest,
  type ParsedSetRetentionRequest,
  type RetentionRunJobPage,
  type RetentionRunJobsQuery,
  type RetentionRunRecord,
  type RetentionSettingRecord,
  type RetentionStatus,
} from '@phaseline/client';
import { EventStore } from '@phaseline/event-store';
import { listTenantsWithRight, toActor, type TenantSelection } from '@phaseline/identity';
import {
  readRetentionSettings,
  readTableCleanings,
  RetentionRuns,
  setRetention,
  type RetentionRun,
} from '@phaseline/orchestration';
import { getCaller, InjectConfig, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { requireRight } from '../access/access-guard.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { ApiProblem } from '../problem/api-problem.js';
import { parseTenant } from '../tenants/parse-tenant.js';
import { RetentionLoop } from './retention-loop.js';
import { toRunJob, toRunRecord, toTableCleaning } from './to-records.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How long tenants keep what their ended jobs leave behind, and its removal. */
@ApiTags('retention')
@Controller('v1')
@Requires('retention:manage')
export class RetentionController {
  constructor(
    @InjectPool() private readonly pool: Pool,
    @InjectConfig() private readonly config: OrchestratorConfig,
    private readonly store: EventStore,
    private readonly runs: RetentionRuns,
    private readonly loop: RetentionLoop,
  ) {}

  @Get('retention')
  @ApiOperation({
    operationId: 'getRetention',
    summary: 'How long tenants keep files, vectors, learning traces and events of ended jobs, and the newest run',
  })
  @ApiOkResponse({ standardSchema: retentionSchema })
  @ApiProblems('forbidden')
  async show(@Req() request: FastifyRequest): Promise<RetentionStatus> {
    const tenants = selectTenants(request);
    const settings = await readRetentionSettings(this.pool, tenants === 'all' ? {} : { tenants });
    const lastRun = await this.runs.getLatest(tenants);
    const everyMs = this.config.PHASELINE_RETENTION_INTERVAL_MS;
    return {
      tenants: [...settings],
      ...(everyMs === 0 ? {} : { automaticEveryMs: everyMs }),
      ...(lastRun ? { lastRun: toRunRecord(lastRun) } : {}),
      ...(tenants === 'all' ? { tables: (await readTableCleanings(this.pool)).map(toTableCleaning) } : {}),
    };
  }

  @Put('tenants/:tenant/retention')
  @ApiOperation({
    operationId: 'setRetention',
    summary: 'Set how long a tenant keeps files, vectors, learning traces and, in the database, events of ended jobs',
    description:
      'The next run removes what is older, and moves events to cold storage. The change is recorded with its actor.',
  })
  @ApiParam({ name: 'tenant' })
  @ApiOkResponse({ standardSchema: retentionSettingSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async set(
    @Param('tenant') text: string,
    @Body({ schema: setRetentionRequestSchema }) days: ParsedSetRetentionRequest,
    @Req() request: FastifyRequest,
  ): Promise<RetentionSettingRecord> {
    const caller = getCaller(request);
    const tenant = parseTenant(text);
    requireRight(caller, 'retention:manage', tenant);
    await setRetention(this.store, this.pool, tenant, { days, actor: toActor(caller) });
    const [setting] = await readRetentionSettings(this.pool, { tenants: [tenant] });
    if (!setting) throw new Error(`the retention of ${tenant} was set, but is not stored`);
    return setting;
  }

  @Post('retention/runs')
  @HttpCode(202)
  @ApiOperation({
    operationId: 'startRetentionRun',
    summary: 'Remove what is due of ended jobs, and move their events to cold storage, or show what would be done',
    description:
      'The run concerns the tenants in which the caller has the right, or one of them. One run is executed at a time; a second request ' +
      'for the same returns the run that has not ended. Read the run until it has ended.',
  })
  @ApiAcceptedResponse({ standardSchema: retentionRunSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async start(
    @Body({ schema: retentionRunRequestSchema.prefault({}) }) { dryRun, tenant }: ParsedRetentionRunRequest,
    @Req() request: FastifyRequest,
  ): Promise<RetentionRunRecord> {
    const caller = getCaller(request);
    if (tenant !== undefined) requireRight(caller, 'retention:manage', tenant);
    const tenants = tenant === undefined ? selectTenants(request) : [tenant];
    const runId = await this.runs.request({ actor: toActor(caller), tenants, dryRun });
    this.loop.wake();
    return toRunRecord(await this.find(runId, request));
  }

  @Get('retention/runs/:id')
  @ApiOperation({ operationId: 'getRetentionRun', summary: 'How far a run of retention is' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ standardSchema: retentionRunSchema })
  @ApiProblems('forbidden', 'run_not_found')
  async get(@Param('id') id: string, @Req() request: FastifyRequest): Promise<RetentionRunRecord> {
    return toRunRecord(await this.find(id, request));
  }

  @Get('retention/runs/:id/jobs')
  @ApiOperation({
    operationId: 'listRetentionRunJobs',
    summary: 'What a run of retention removed, or would remove, per job',
    description: 'While the run continues, later pages have more.',
  })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiOkResponse({ standardSchema: retentionRunJobPageSchema })
  @ApiProblems('invalid_request', 'forbidden', 'run_not_found')
  async listJobs(
    @Param('id') id: string,
    @Query({ schema: toDescribableQuery(retentionRunJobsQuerySchema) }) query: RetentionRunJobsQuery,
    @Req() request: FastifyRequest,
  ): Promise<RetentionRunJobPage> {
    const { runId } = await this.find(id, request);
    const items = await this.runs.listJobs(runId, { ...query, tenants: selectTenants(request) });
    return { items: items.map(toRunJob), nextAfter: items.at(-1)?.number ?? query.after };
  }

  /** A run that concerns only other tenants gets the same response as one that does not exist. */
  private async find(id: string, request: FastifyRequest): Promise<RetentionRun> {
    const runId = id.toLowerCase();
    const run = UUID.test(runId) ? await this.runs.get(runId, selectTenants(request)) : undefined;
    if (!run)
      throw new ApiProblem(
        'run_not_found',
        `There is no run ${id.slice(0, 100)}. Start one with: phaseline retention run`,
      );
    return run;
  }
}

function selectTenants(request: FastifyRequest): TenantSelection {
  return listTenantsWithRight(getCaller(request), 'retention:manage');
}
