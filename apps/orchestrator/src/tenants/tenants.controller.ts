import { getActorName } from '@phaseline/contracts';
import { Body, Controller, Get, Param, Put, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  setTenantRequestSchema,
  tenantListSchema,
  tenantNameSchema,
  tenantSchema,
  type SetTenantRequest,
  type Tenant,
  type TenantList,
} from '@phaseline/client';
import { JobDriver, PostgresAdmission, type TenantLoad } from '@phaseline/orchestration';
import { includesTenant, listTenantsWithRight, toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Running phases, waiting jobs and limits of tenants. */
@ApiTags('tenants')
@Controller('v1/tenants')
export class TenantsController {
  constructor(
    private readonly admission: PostgresAdmission,
    private readonly driver: JobDriver,
  ) {}

  @Get()
  @Requires('tenants:read')
  @ApiOperation({
    operationId: 'listTenants',
    summary: 'List tenants with running phases, waiting jobs or their own limit',
  })
  @ApiOkResponse({ standardSchema: tenantListSchema })
  @ApiProblems()
  async list(@Req() request: FastifyRequest): Promise<TenantList> {
    const readable = listTenantsWithRight(getCaller(request), 'tenants:read');
    const loads = await this.admission.listTenants();
    return { items: loads.filter(({ tenant }) => includesTenant(readable, tenant)).map(toTenant) };
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
    const named = tenantNameSchema.safeParse(tenant);
    if (!named.success) throw invalidRequest([{ path: 'tenant', message: named.error.issues[0]!.message }]);
    const grants = await this.admission.setLimit(tenant, {
      maxPhases: maxRunningPhases ?? undefined,
      actor: getActorName(toActor(getCaller(request))),
    });
    await this.driver.advanceGranted(grants);
    const load = (await this.admission.listTenants()).find((other) => other.tenant === tenant);
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
