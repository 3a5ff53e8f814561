import { Body, Controller, Get, Param, Put } from '@nestjs/common';
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
import { ApiProblems } from '../docs/api-problems.js';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Who is recorded for callers that do not say who they are. */
const API_ACTOR = 'api';

/** Whose phases are under way, whose wait, and how many each may have. */
@ApiTags('tenants')
@Controller('v1/tenants')
export class TenantsController {
  constructor(
    private readonly admission: PostgresAdmission,
    private readonly driver: JobDriver,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Tenants that have or wait for something, or whose limit is their own' })
  @ApiOkResponse({ standardSchema: tenantListSchema })
  @ApiProblems()
  async list(): Promise<TenantList> {
    return { tenants: (await this.admission.tenants()).map(toTenant) };
  }

  @Put(':tenant')
  @ApiOperation({
    summary: 'Set how many phases of a tenant may be under way at once',
    description: 'Recorded with who asked. A phase that is under way already goes on, also above a new limit.',
  })
  @ApiParam({ name: 'tenant' })
  @ApiOkResponse({ standardSchema: tenantSchema })
  @ApiProblems('invalid_request')
  async set(
    @Param('tenant') tenant: string,
    @Body({ schema: setTenantRequestSchema }) { maxPhases, actor = API_ACTOR }: SetTenantRequest,
  ): Promise<Tenant> {
    const named = tenantNameSchema.safeParse(tenant);
    if (!named.success) throw invalidRequest([{ path: 'tenant', message: named.error.issues[0]!.message }]);
    const given = await this.admission.setLimit(tenant, { maxPhases: maxPhases ?? undefined, actor });
    await this.driver.handOn(given);
    const load = (await this.admission.tenants()).find((other) => other.tenant === tenant);
    return toTenant(load ?? { tenant, active: 0, waiting: 0 });
  }
}

function toTenant({ limit, longestWaitMs, ...load }: TenantLoad): Tenant {
  return {
    ...load,
    ...(limit === undefined ? {} : { maxPhases: limit }),
    ...(longestWaitMs === undefined ? {} : { longestWaitMs: Math.max(0, Math.round(longestWaitMs)) }),
  };
}
