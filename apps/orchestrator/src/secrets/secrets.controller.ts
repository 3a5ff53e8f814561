import { Body, Controller, Delete, Get, Param, Put, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  listSecretsQuerySchema,
  removeSecretQuerySchema,
  secretListSchema,
  secretRemovalSchema,
  secretSchema,
  storeSecretRequestSchema,
  type ListSecretsQuery,
  type ParsedStoreSecretRequest,
  type RemoveSecretQuery,
  type Secret,
  type SecretList,
  type SecretRemoval,
} from '@phaseline/client';
import { secretNameSchema } from '@phaseline/contracts';
import { SecretInvalid, SecretMissing, SecretStore, SecretsUnavailable, toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { chooseTenant } from '../access/choose-tenant.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';

/** Secrets that tools use. No route returns a value. */
@ApiTags('secrets')
@Controller('v1/secrets')
export class SecretsController {
  constructor(private readonly secrets: SecretStore) {}

  @Get()
  @Requires('secrets:use')
  @ApiOperation({ operationId: 'listSecrets', summary: 'List the names of the secrets of a tenant' })
  @ApiOkResponse({ standardSchema: secretListSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async list(
    @Query({ schema: toDescribableQuery(listSecretsQuerySchema) }) query: ListSecretsQuery,
    @Req() request: FastifyRequest,
  ): Promise<SecretList> {
    const tenant = chooseTenant(getCaller(request), 'secrets:use', query.tenant);
    return { items: [...(await this.secrets.list(tenant))] };
  }

  @Put(':name')
  @Requires('secrets:manage')
  @ApiOperation({
    operationId: 'storeSecret',
    summary: 'Store a secret, or replace its value and its hosts',
    description: 'The value is stored encrypted and is never returned. The change is recorded with its actor.',
  })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: secretSchema })
  @ApiProblems('invalid_request', 'forbidden', 'encryption_unavailable')
  async store(
    @Param('name') name: string,
    @Body({ schema: storeSecretRequestSchema }) body: ParsedStoreSecretRequest,
    @Req() request: FastifyRequest,
  ): Promise<Secret> {
    const caller = getCaller(request);
    const { agent, value, repositoryHosts } = body;
    const tenant = chooseTenant(caller, 'secrets:manage', body.tenant);
    const scope = { tenant, ...(agent === undefined ? {} : { agent }) };
    return this.secrets.put(scope, parseName(name), value, toActor(caller), repositoryHosts).catch(toProblem);
  }

  @Delete(':name')
  @Requires('secrets:manage')
  @ApiOperation({ operationId: 'removeSecret', summary: 'Remove a secret' })
  @ApiParam({ name: 'name' })
  @ApiOkResponse({ standardSchema: secretRemovalSchema })
  @ApiProblems('invalid_request', 'forbidden', 'secret_not_found')
  async remove(
    @Param('name') name: string,
    @Query({ schema: toDescribableQuery(removeSecretQuerySchema) }) query: RemoveSecretQuery,
    @Req() request: FastifyRequest,
  ): Promise<SecretRemoval> {
    const caller = getCaller(request);
    const tenant = chooseTenant(caller, 'secrets:manage', query.tenant);
    await this.secrets.remove({ tenant, agent: query.agent }, parseName(name), toActor(caller)).catch(toProblem);
    return { removed: true, tenant };
  }
}

function parseName(text: string): string {
  const parsed = secretNameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw invalidRequest([{ path: 'name', message: parsed.error.issues[0]!.message }]);
}

function toProblem(error: unknown): never {
  if (error instanceof SecretInvalid) throw invalidRequest([{ path: 'value', message: error.message }]);
  if (error instanceof SecretMissing) throw new ApiProblem('secret_not_found', `Not done: ${error.message}.`);
  if (error instanceof SecretsUnavailable)
    throw new ApiProblem('encryption_unavailable', `Not done: ${error.message}.`);
  throw error;
}
