import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { whoAmISchema, type WhoAmI } from '@phaseline/client';
import { listTenantsWithRight, rights, type Caller } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';

/** The caller itself. */
@ApiTags('principals')
@Controller('v1/whoami')
export class WhoAmIController {
  @Get()
  @Requires('any-caller')
  @ApiOperation({
    operationId: 'whoAmI',
    summary: 'Get the caller and its rights',
    description:
      'The rights are those of this request: limits of the key, and the principal for whom the caller acts, are included.',
  })
  @ApiOkResponse({ standardSchema: whoAmISchema })
  @ApiProblems()
  get(@Req() request: FastifyRequest): WhoAmI {
    return describeCaller(getCaller(request));
  }
}

function describeCaller(caller: Caller): WhoAmI {
  const { id, kind, onBehalfOf, roles, authentication = { method: 'local-user' } } = caller;
  return {
    ...{ id, kind, authentication },
    ...(onBehalfOf ? { onBehalfOf: { id: onBehalfOf.id, kind: onBehalfOf.kind } } : {}),
    roles: roles.map(({ role, tenant }) => ({ role, tenant })),
    rights: rights.flatMap((right) => {
      const tenants = listTenantsWithRight(caller, right);
      return tenants.length === 0 ? [] : [{ right, tenants: tenants === 'all' ? tenants : [...tenants] }];
    }),
  };
}
