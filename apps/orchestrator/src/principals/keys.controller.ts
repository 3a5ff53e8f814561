import { Body, Controller, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  createdKeySchema,
  createKeyRequestSchema,
  keyListSchema,
  keyPrefixSchema,
  keySchema,
  listKeysQuerySchema,
  revokeKeyQuerySchema,
  type CreatedKeyResponse,
  type KeyList,
  type KeyRecord,
  type ListKeysQuery,
  type ParsedCreateKeyRequest,
  type RevokeKeyQuery,
} from '@phaseline/client';
import { listTenantsWithRight, Principals, rights, type Right } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { invalidRequest, invalidValues } from '../problem/validation.pipe.js';
import { toKeyRecord, toPrincipalRecord } from './to-records.js';

const DAY_MS = 24 * 60 * 60_000;
/** How long a key is valid if its creator does not say. */
const DEFAULT_VALIDITY_MS = 90 * DAY_MS;
const MAX_VALIDITY_MS = 2 * 366 * DAY_MS;

/** Keys of principals. Only the response to the creation contains the key itself. */
@ApiTags('keys')
@Controller('v1/keys')
export class KeysController {
  constructor(private readonly principals: Principals) {}

  @Get()
  @Requires('principals:read')
  @ApiOperation({
    operationId: 'listKeys',
    summary: 'List keys, or find one by its prefix',
    description: 'The prefix is the 8 hexadecimal digits after `plk_`, so the owner of a leaked key can be found.',
  })
  @ApiOkResponse({ standardSchema: keyListSchema })
  @ApiProblems('invalid_request', 'forbidden')
  async list(
    @Query({ schema: toDescribableQuery(listKeysQuerySchema) }) { principal, prefix = '' }: ListKeysQuery,
    @Req() request: FastifyRequest,
  ): Promise<KeyList> {
    const tenants = listTenantsWithRight(getCaller(request), 'principals:read');
    const all = await this.principals.list();
    const keys = all
      .filter(({ id }) => principal === undefined || id === principal)
      .flatMap((owner) => toPrincipalRecord(owner, tenants)?.keys ?? []);
    return { items: keys.filter((key) => key.prefix.startsWith(prefix)) };
  }

  @Post()
  @Requires('keys:manage')
  @ApiOperation({
    operationId: 'createKey',
    summary: 'Create a key of a principal',
    description:
      'The key is only in this response. `rights` and `tenants` narrow what its principal may do. A caller can only create keys of principals whose rights it has.',
  })
  @ApiCreatedResponse({ standardSchema: createdKeySchema })
  @ApiProblems('invalid_request', 'forbidden', 'principal_not_found', 'request_refused')
  async create(
    @Body({ schema: createKeyRequestSchema }) body: ParsedCreateKeyRequest,
    @Req() request: FastifyRequest,
  ): Promise<CreatedKeyResponse> {
    const { principal, label, tenants } = body;
    const { key, stored } = await this.principals.createKey(getCaller(request), principal, {
      ...{ label, tenants, rights: parseRights(body.rights) },
      expiresAt: parseExpiry(body.expiresAt),
    });
    return { ...toKeyRecord(principal, stored), key };
  }

  @Delete(':prefix')
  @Requires('keys:manage')
  @ApiOperation({
    operationId: 'revokeKey',
    summary: 'Revoke a key',
    description:
      'Every process refuses the key within 2 seconds. The sessions of its principal end, because the key may have been used to sign in.',
  })
  @ApiParam({ name: 'prefix', description: 'the 8 hexadecimal digits after `plk_`' })
  @ApiOkResponse({ standardSchema: keySchema })
  @ApiProblems('invalid_request', 'forbidden', 'key_not_found')
  async revoke(
    @Param('prefix') text: string,
    @Query({ schema: toDescribableQuery(revokeKeyQuerySchema) }) { reason }: RevokeKeyQuery,
    @Req() request: FastifyRequest,
  ): Promise<KeyRecord> {
    const prefix = keyPrefixSchema.safeParse(text);
    if (!prefix.success) throw invalidValues(prefix.error, 'prefix');
    const principal = await this.principals.revokeKey(getCaller(request), prefix.data, reason);
    return toKeyRecord(
      principal.id,
      principal.keys.find((key) => key.prefix === prefix.data)!,
    );
  }
}

function parseRights(names: readonly string[] | undefined): readonly Right[] | undefined {
  return names?.map((name, index) => {
    const right = rights.find((known) => known === name);
    if (right !== undefined) return right;
    throw invalidRequest([
      {
        path: `rights.${index}`,
        message: `${JSON.stringify(name)} is no right; expected some of ${rights.join(', ')}`,
      },
    ]);
  });
}

function parseExpiry(text: string | undefined): string {
  const now = Date.now();
  const expiresAt = text === undefined ? now + DEFAULT_VALIDITY_MS : Date.parse(text);
  if (expiresAt <= now || expiresAt > now + MAX_VALIDITY_MS)
    throw invalidRequest([{ path: 'expiresAt', message: 'expected a time in the future, at most 2 years from now' }]);
  return new Date(expiresAt).toISOString();
}
