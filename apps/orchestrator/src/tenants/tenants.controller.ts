import { getActorName } from '@phaseline/contracts';
import { Body, Controller, Get, Param, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  setTenantRequestSchema,
  tenantListSchema,
  tenantSchema,
  type SetTenantRequest,
  type Tenant,
  type TenantList,
} from '@phaseline/client';
import { JobDriver, PostgresAdmission, type TenantLoad } from '@phaseline/orchestration';
import { includesTenant, listTenantsWithRight, toActor } from '@phaseline/identity';
import { JobViews } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { requireRight } from '../access/access-guard.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { parseTenant } from './parse-tenant.js';

/** Running phases, waiting jobs and limits of tenants. */
@ApiTags('tenants')
@Controller('v1/tenants')
export class TenantsController {
  constructor(
    private readonly admission: PostgresAdmission,
    private readonly driver: JobDriver,
    private readonly views: JobViews,
  ) {}

  @Get()
  @Requires('tenants:read')
  @ApiOperation({
    operationId: 'listTenants',
    summary: 'List tenants that have jobs or their own limit, with running phases and waiting jobs',
  })
  @ApiOkResponse({ standardSchema: tenantListSchema })
  @ApiProblems()
  async list(@Req() request: FastifyRequest): Promise<TenantList> {
    const readable = listTenantsWithRight(getCaller(request), 'tenants:read');
    const loads = await this.admission.listTenants(await this.views.listTenants());
    return { items: loads.filter(({ tenant }) => includesTenant(readable, tenant)).map(toTenant) };
  }

  @Get(':tenant')
  @Requires('tenants:read')
  @ApiOperation({ operationId: 'getTenant', summary: 'Get the running phases, waiting jobs and limit of a tenant' })
  @ApiParam({ name: 'tenant' })
  @ApiOkResponse({ standardSchema: tenantSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async get(@Param('tenant') tenant: string, @Req() request: FastifyRequest): Promise<Tenant> {
    requireRight(getCaller(request), 'tenants:read', parseTenant(tenant));
    return this.find(tenant);
  }

  @Put(':tenant')
  @Requires('tenants:write')
  @ApiOperation({
    operationId: 'setTenant',
    summary: 'Set the maximum number of running phases of a tenant',
    description: 'The change is recorded with its actor. Running phases continue even if they exceed a new limit.',
  })
  @ApiParam({ name: 'tenant' })
  @ApiOkResponse({ standardSchema: tenantSchema })
  @ApiProblems('invalid_request')
  async set(
    @Param('tenant') tenant: string,
    @Body({ schema: setTenantRequestSchema }) { maxRunningPhases }: SetTenantRequest,
    @Req() request: FastifyRequest,
  ): Promise<Tenant> {
    const grants = await this.admission.setLimit(parseTenant(tenant), {
      maxPhases: maxRunningPhases ?? undefined,
      actor: getActorName(toActor(getCaller(request))),
    });
    await this.driver.advanceGranted(grants);
    return this.find(tenant);
  }

  /** Every valid name is that of a tenant; most have no load. */
  private async find(tenant: string): Promise<Tenant> {
    const load = (await this.admission.listTenants([tenant])).find((other) => other.tenant === tenant);
    return toTenant(load ?? { tenant, active: 0, waiting: 0 });
  }
}

function toTenant({ tenant, active, waiting, limit, setBy, longestWaitMs }: TenantLoad): Tenant {
  return {
    tenant,
    runningPhases: active,
    waitingJobs: waiting,
    ...(limit === undefined ? {} : { maxRunningPhases: limit }),
    ...(setBy === undefined ? {} : { limitSetBy: setBy.actor, limitSetAt: setBy.at }),
    ...(longestWaitMs === undefined ? {} : { longestWaitMs: Math.max(0, Math.round(longestWaitMs)) }),
  };
}
