import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  changeRoleRequestSchema,
  createPrincipalRequestSchema,
  disablePrincipalRequestSchema,
  linkAccountRequestSchema,
  principalListSchema,
  principalSchema,
  unlinkAccountRequestSchema,
  type ChangeRoleRequest,
  type CreatePrincipalRequest,
  type LinkAccountRequest,
  type ParsedDisablePrincipalRequest,
  type ParsedUnlinkAccountRequest,
  type PrincipalList,
  type PrincipalRecord,
} from '@phaseline/client';
import {
  IdentityRefused,
  isRole,
  listTenantsWithRight,
  Principals,
  roles,
  type Account,
  type Principal,
  type Role,
} from '@phaseline/identity';
import { getCaller, InjectConfig, isReservedActor } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { toPrincipalRecord } from './to-records.js';

/** People and services, and their roles. */
@ApiTags('principals')
@Controller('v1/principals')
export class PrincipalsController {
  constructor(
    private readonly principals: Principals,
    @InjectConfig() private readonly config: OrchestratorConfig,
  ) {}

  @Get()
  @Requires('principals:read')
  @ApiOperation({
    operationId: 'listPrincipals',
    summary: 'List principals with their roles and keys',
    description: 'Contains the principals with a role in a tenant in which the caller has the right principals:read.',
  })
  @ApiOkResponse({ standardSchema: principalListSchema })
  @ApiProblems('forbidden')
  async list(@Req() request: FastifyRequest): Promise<PrincipalList> {
    const tenants = listTenantsWithRight(getCaller(request), 'principals:read');
    const all = await this.principals.list();
    return { items: all.flatMap((principal) => toPrincipalRecord(principal, tenants) ?? []) };
  }

  @Post()
  @Requires('principals:manage')
  @ApiOperation({ operationId: 'createPrincipal', summary: 'Create a person or a service, without roles' })
  @ApiCreatedResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_exists')
  async create(
    @Body({ schema: createPrincipalRequestSchema }) { id, kind }: CreatePrincipalRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    if (isReservedActor(id, this.config))
      throw new IdentityRefused(
        'principal_exists',
        `${id} is the name of a key in PHASELINE_API_KEYS, or reserved. Choose another id.`,
      );
    return toRecord(await this.principals.create(getCaller(request), id, kind));
  }

  @Get(':id')
  @Requires('principals:read')
  @ApiOperation({ operationId: 'getPrincipal', summary: 'Get a principal with its roles and keys' })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('forbidden', 'principal_not_found')
  async get(@Param('id') id: string, @Req() request: FastifyRequest): Promise<PrincipalRecord> {
    const tenants = listTenantsWithRight(getCaller(request), 'principals:read');
    const visible = toPrincipalRecord(await this.principals.get(id), tenants);
    if (!visible) throw this.principals.notFound(id);
    return visible;
  }

  @Post(':id/disable')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({
    operationId: 'disablePrincipal',
    summary: 'Disable a principal',
    description: 'Its keys are refused and its sessions end. Jobs that it submitted continue.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found')
  async disable(
    @Param('id') id: string,
    @Body({ schema: disablePrincipalRequestSchema }) { reason }: ParsedDisablePrincipalRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    return toRecord(await this.principals.disable(getCaller(request), id, reason));
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({
    operationId: 'enablePrincipal',
    summary: 'Enable a principal',
    description: 'Its keys are accepted again, unless they were revoked or have expired.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('forbidden', 'principal_not_found')
  async enable(@Param('id') id: string, @Req() request: FastifyRequest): Promise<PrincipalRecord> {
    return toRecord(await this.principals.enable(getCaller(request), id));
  }

  @Post(':id/grant')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({
    operationId: 'grantRole',
    summary: 'Grant a role in a tenant, or in all tenants',
    description: 'A caller can only grant a role whose rights it has there.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found')
  async grant(
    @Param('id') id: string,
    @Body({ schema: changeRoleRequestSchema }) { role, tenant }: ChangeRoleRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    return toRecord(await this.principals.grant(getCaller(request), id, parseRole(role), tenant));
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({ operationId: 'revokeRole', summary: 'Revoke a role in a tenant, or in all tenants' })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found')
  async revoke(
    @Param('id') id: string,
    @Body({ schema: changeRoleRequestSchema }) { role, tenant }: ChangeRoleRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    return toRecord(await this.principals.revokeRole(getCaller(request), id, parseRole(role), tenant));
  }

  @Post(':id/link')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({
    operationId: 'linkAccount',
    summary: 'Link an account of an OpenID provider to a principal',
    description:
      'The principal can then sign in with it. A caller can only link an account to a principal whose rights it has. An account belongs to one principal.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found', 'identity_taken')
  async link(
    @Param('id') id: string,
    @Body({ schema: linkAccountRequestSchema }) account: LinkAccountRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    return toRecord(await this.principals.link(getCaller(request), id, this.toAccount(account)));
  }

  @Post(':id/unlink')
  @HttpCode(200)
  @Requires('principals:manage')
  @ApiOperation({
    operationId: 'unlinkAccount',
    summary: 'Remove the link of an account',
    description:
      'The sessions of the principal end, and the roles that its sign-ins gave are revoked. Roles that a person granted stay.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: principalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found', 'request_refused')
  async unlink(
    @Param('id') id: string,
    @Body({ schema: unlinkAccountRequestSchema }) { reason, ...account }: ParsedUnlinkAccountRequest,
    @Req() request: FastifyRequest,
  ): Promise<PrincipalRecord> {
    return toRecord(await this.principals.unlink(getCaller(request), id, this.toAccount(account), reason));
  }

  private toAccount({ subject, issuer = this.config.PHASELINE_OIDC_ISSUER }: LinkAccountRequest): Account {
    if (issuer !== undefined) return { issuer, subject };
    throw invalidRequest([
      { path: 'issuer', message: 'is missing, and this server has no OpenID provider (PHASELINE_OIDC_ISSUER)' },
    ]);
  }
}

/** Managing principals is a right in all tenants, so the response contains the whole principal. */
function toRecord(principal: Principal): PrincipalRecord {
  return toPrincipalRecord(principal, 'all')!;
}

function parseRole(text: string): Role {
  if (isRole(text)) return text;
  throw invalidRequest([{ path: 'role', message: `expected one of ${roles.join(', ')}` }]);
}
