import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  addGuardRequestSchema,
  backtestGuardRequestSchema,
  guardChangeSchema,
  guardListSchema,
  guardPlaceQuerySchema,
  guardSchema,
  listGuardsQuerySchema,
  promoteGuardRequestSchema,
  recordedBacktestSchema,
  rollBackGuardRequestSchema,
  type AddGuardRequest,
  type GuardChangeRecord,
  type GuardList,
  type GuardPlaceQuery,
  type GuardRecord,
  type ListGuardsQuery,
  type ParsedBacktestGuardRequest,
  type PromoteGuardRequest,
  type RecordedBacktest,
  type RollBackGuardRequest,
} from '@phaseline/client';
import { backtestMessageSchema } from '@phaseline/contracts';
import { findVersion, toGuard } from '@phaseline/domain';
import {
  ALL_TENANTS,
  includesTenant,
  listTenantsWithRight,
  toActor,
  type Caller,
  type Right,
} from '@phaseline/identity';
import { GuardChangeRefused, GuardRegistry, StoredGuardMissing, type GuardPlace } from '@phaseline/orchestration';
import { ReadModelQueries } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { requireRight } from '../access/access-guard.js';
import { chooseTenant } from '../access/choose-tenant.js';
import { Requires } from '../access/requires.js';
import { AGENTS, type Agents } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { findFigures, toBacktestRequest } from '../what-if/backtest-request.js';
import { WhatIfProgram } from '../what-if/what-if-program.js';
import { requireGuard } from './require-guard.js';
import { SharedGuards } from './shared-guards.js';
import { toChangeRecord, toFileRecord, toGuardRecord, toSummaryRecord, withoutExamples } from './to-records.js';

/** Guards of tenants and of the installation. A guard of the installation needs the right in all tenants. */
@ApiTags('guards')
@Controller('v1/guards')
export class GuardsController {
  constructor(
    private readonly registry: GuardRegistry,
    private readonly shared: SharedGuards,
    private readonly queries: ReadModelQueries,
    @Inject(AGENTS) private readonly agents: Agents,
    private readonly whatIf: WhatIfProgram,
  ) {}

  @Get()
  @Requires('guards:read')
  @ApiOperation({ operationId: 'listGuards', summary: 'List the guards of the installation and of tenants' })
  @ApiOkResponse({ standardSchema: guardListSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async list(
    @Query({ schema: toDescribableQuery(listGuardsQuerySchema) }) { tenant }: ListGuardsQuery,
    @Req() request: FastifyRequest,
  ): Promise<GuardList> {
    const caller = getCaller(request);
    if (tenant !== undefined) requireRight(caller, 'guards:read', tenant);
    const tenants = tenant === undefined ? listTenantsWithRight(caller, 'guards:read') : [tenant];
    const stored = await this.registry.list(tenants);
    return { items: [...this.shared.files.map(toFileRecord), ...stored.map((one) => toSummaryRecord(one, one))] };
  }

  @Get(':name')
  @Requires('guards:read')
  @ApiOperation({
    operationId: 'getGuard',
    summary: 'A guard with its versions and the changes of their stages',
    description: 'Without `scope`, the guard of the tenant; if it has none of this name, that of the installation.',
  })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: guardSchema })
  @ApiProblems('invalid_request', 'forbidden', 'guard_not_found')
  async get(
    @Param('name') name: string,
    @Query({ schema: toDescribableQuery(guardPlaceQuerySchema) }) { scope, tenant }: GuardPlaceQuery,
    @Req() request: FastifyRequest,
  ): Promise<GuardRecord> {
    const caller = getCaller(request);
    if (tenant !== undefined) requireRight(caller, 'guards:read', tenant);
    const places: GuardPlace[] = [];
    if (scope !== 'system') places.push({ name, tenant: chooseTenant(caller, 'guards:read', tenant) });
    if (scope !== 'tenant') places.push({ name, tenant: undefined });
    for (const place of places) {
      const events = isGuardName(name) ? await this.registry.readEvents(place) : [];
      if (events.length === 0) continue;
      const record = toGuardRecord(place, events, await this.countDecisions(place, caller));
      return mayReadJobs(caller, place) ? record : withoutExamples(record);
    }
    const file = scope === 'tenant' ? undefined : this.shared.files.find((guard) => guard.name === name);
    if (!file) throw guardNotFound(name);
    const decisions = await this.countDecisions({ name, tenant: undefined }, caller);
    return { ...toFileRecord(file), versions: [], changes: [], decisions };
  }

  private async countDecisions({ name, tenant }: GuardPlace, caller: Caller): Promise<GuardRecord['decisions']> {
    const visible = listTenantsWithRight(caller, 'guards:read');
    const tenants = tenant === undefined ? visible : [tenant];
    const scope = tenant === undefined ? 'system' : 'tenant';
    return [...(await this.queries.guardDecisions({ name, scope, ...(tenants === 'all' ? {} : { tenants }) }))];
  }

  @Post()
  @HttpCode(200)
  @Requires('guards:write')
  @ApiOperation({
    operationId: 'addGuard',
    summary: 'Add a version of a guard, as a draft',
    description: 'A draft is never asked. Adding what an earlier version decides changes nothing.',
  })
  @ApiOkResponse({ standardSchema: guardChangeSchema })
  @ApiProblems('invalid_request', 'forbidden', 'request_refused')
  async add(
    @Body({ schema: addGuardRequestSchema }) body: AddGuardRequest,
    @Req() request: FastifyRequest,
  ): Promise<GuardChangeRecord> {
    const caller = getCaller(request);
    const tenant = choosePlace(caller, 'guards:write', body);
    const guard = requireGuard(body.guard);
    if (tenant === undefined && this.shared.files.some(({ name }) => name === guard.name))
      throw refused(`${guard.name} is the name of a guard in a folder of the installation; use another name`);
    const result = await this.registry.add(tenant, guard, toActor(caller)).catch(toProblem);
    return toChangeRecord({ tenant, name: guard.name }, result);
  }

  @Post(':name/backtests')
  @HttpCode(200)
  @Requires('guards:backtest')
  @ApiOperation({
    operationId: 'backtestGuard',
    summary: 'Run a version of a guard on recorded calls, and record what it would have decided',
    description:
      'It reads the jobs of the tenant; for a guard of the installation those of all tenants. Nothing is executed, and no model is called. A draft is then in the stage `backtest`. The server runs one backtest at a time, for at most four minutes.',
  })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: recordedBacktestSchema })
  @ApiProblems('invalid_request', 'forbidden', 'guard_not_found', 'request_refused', 'what_if_running')
  async backtest(
    @Param('name') name: string,
    @Body({ schema: backtestGuardRequestSchema })
    { scope, tenant, number, since, agent, maxJobs, cases }: ParsedBacktestGuardRequest,
    @Req() request: FastifyRequest,
  ): Promise<RecordedBacktest> {
    const caller = getCaller(request);
    const place = { name: requireGuardName(name), tenant: choosePlace(caller, 'guards:backtest', { scope, tenant }) };
    const version = findVersion(await this.registry.read(place), { number });
    if (!version) throw guardNotFound(name);
    const guard = toGuard(version, place.tenant === undefined ? 'system' : 'tenant');
    const tested = toBacktestRequest(guard, {
      ...(place.tenant === undefined ? {} : { tenant: place.tenant }),
      ...(since === undefined ? {} : { since }),
      ...(agent === undefined ? {} : { agent }),
      limit: maxJobs,
    });
    const found = await this.whatIf.run({ ...tested, figuresOnly: true }, backtestMessageSchema, findFigures);
    const figures = { ...found, ...(cases ? { cases } : {}) };
    await this.registry.recordBacktest(place, version.added.number, figures, toActor(caller)).catch(toProblem);
    const { versions, ...summary } = toGuardRecord(place, await this.registry.readEvents(place), []);
    const recorded = versions.find((one) => one.number === version.added.number)!;
    return { guard: summary, stage: recorded.stage, backtest: recorded.backtests[0]! };
  }

  @Post(':name/promote')
  @HttpCode(200)
  @Requires('guards:promote')
  @ApiOperation({
    operationId: 'promoteGuard',
    summary: 'Take a version of a guard from backtest to shadow, or from shadow to production',
    description:
      'Phases that start from now on receive it; phases that run keep their guards. The author of the version cannot promote it, and its newest backtest must allow it.',
  })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: guardChangeSchema })
  @ApiProblems('invalid_request', 'forbidden', 'guard_not_found', 'request_refused')
  async promote(
    @Param('name') name: string,
    @Body({ schema: promoteGuardRequestSchema }) { scope, tenant, ...change }: PromoteGuardRequest,
    @Req() request: FastifyRequest,
  ): Promise<GuardChangeRecord> {
    const caller = getCaller(request);
    const place = { name: requireGuardName(name), tenant: choosePlace(caller, 'guards:promote', { scope, tenant }) };
    await this.agents.refresh();
    const requested = { ...change, frozenAgents: this.agents.listFrozen() };
    const result = await this.registry.promote(place, requested, toActor(caller)).catch(toProblem);
    return toChangeRecord(place, result);
  }

  @Post(':name/rollback')
  @HttpCode(200)
  @Requires('guards:rollback')
  @ApiOperation({
    operationId: 'rollBackGuard',
    summary: 'Take the version in production out of effect; the one before it returns',
    description:
      'Phases that start from now on receive what is in production then. The author of neither version can roll it back.',
  })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: guardChangeSchema })
  @ApiProblems('invalid_request', 'forbidden', 'guard_not_found', 'request_refused')
  async rollBack(
    @Param('name') name: string,
    @Body({ schema: rollBackGuardRequestSchema }) { reason, ...where }: RollBackGuardRequest,
    @Req() request: FastifyRequest,
  ): Promise<GuardChangeRecord> {
    const caller = getCaller(request);
    const place = { name: requireGuardName(name), tenant: choosePlace(caller, 'guards:rollback', where) };
    const result = await this.registry.rollBack(place, { reason }, toActor(caller)).catch(toProblem);
    return toChangeRecord(place, result);
  }
}

/** Returns the tenant of a change; `undefined` for the installation, which needs the right in all tenants. Throws ApiProblem. */
function choosePlace(caller: Caller, right: Right, { scope, tenant }: GuardPlaceQuery): string | undefined {
  if (scope !== 'system') return chooseTenant(caller, right, tenant);
  if (tenant !== undefined)
    throw invalidRequest([{ path: 'tenant', message: 'a guard of the installation belongs to no tenant' }]);
  requireRight(caller, right, ALL_TENANTS);
  return undefined;
}

/** Whether a caller may read all jobs that backtests of a guard read. */
function mayReadJobs(caller: Caller, { tenant }: GuardPlace): boolean {
  return includesTenant(listTenantsWithRight(caller, 'jobs:read'), tenant ?? ALL_TENANTS);
}

function isGuardName(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,62}$/.test(name);
}

function requireGuardName(name: string): string {
  if (isGuardName(name)) return name;
  throw guardNotFound(name);
}

function guardNotFound(name: string): ApiProblem {
  return new ApiProblem(
    'guard_not_found',
    `There is no guard ${name} here. List the guards to see their names and tenants.`,
  );
}

function refused(reason: string): ApiProblem {
  return new ApiProblem('request_refused', `Not done: ${reason}.`);
}

function toProblem(error: unknown): never {
  if (error instanceof StoredGuardMissing) throw new ApiProblem('guard_not_found', `Not done: ${error.message}.`);
  if (error instanceof GuardChangeRefused) throw refused(error.message);
  throw error;
}
