import type { JsonObject } from '@phaseline/basics';
import { Body, Controller, Get, Headers, Put, Query, Req } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  changePreferencesRequestSchema,
  preferencesQuerySchema,
  preferencesSchema,
  type ChangePreferencesRequest,
  type Preferences,
  type PreferencesQuery,
} from '@phaseline/client';
import { getActorName, type Actor } from '@phaseline/contracts';
import { PreferencesOutdated, PreferenceStore, toActor, type PreferenceOwner } from '@phaseline/identity';
import { DEFAULT_PREFERENCES, preferenceChangesSchema, readPreferences } from '@phaseline/planning';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { chooseTenant } from '../access/choose-tenant.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidRequest, invalidValues } from '../problem/validation.pipe.js';

/** The right with which a person replies to plans, so that everyone who plans can say how plans deal with them. */
const RIGHT = 'questions:answer';

/** Lasting preferences of the caller for plans. They concern nobody else. */
@ApiTags('plans')
@Controller('v1/me/preferences')
@Requires(RIGHT)
export class PreferencesController {
  constructor(private readonly preferences: PreferenceStore) {}

  @Get()
  @ApiOperation({
    operationId: 'getPreferences',
    summary: 'Get the lasting preferences of the caller for plans in a tenant',
  })
  @ApiOkResponse({ standardSchema: preferencesSchema })
  @ApiProblems('invalid_request', 'forbidden')
  get(
    @Query({ schema: toDescribableQuery(preferencesQuerySchema) }) { tenant }: PreferencesQuery,
    @Req() request: FastifyRequest,
  ): Promise<Preferences> {
    return this.read(findOwner(request, tenant).owner);
  }

  @Put()
  @ApiOperation({
    operationId: 'changePreferences',
    summary: 'Change lasting preferences of the caller for plans in a tenant',
    description:
      'Keys that the body does not have keep their value, and `null` clears one. Later plans use what was set.',
  })
  @ApiHeader({ name: 'if-match', required: false, description: 'Version of the preferences that may be changed.' })
  @ApiOkResponse({ standardSchema: preferencesSchema })
  @ApiProblems('invalid_request', 'forbidden', 'preferences_changed')
  async change(
    @Query({ schema: toDescribableQuery(preferencesQuerySchema) }) { tenant }: PreferencesQuery,
    @Body({ schema: changePreferencesRequestSchema }) body: ChangePreferencesRequest,
    @Headers('if-match') ifMatch: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Preferences> {
    const { owner, actor } = findOwner(request, tenant);
    const expectedVersion = readVersion(ifMatch);
    const parsed = preferenceChangesSchema.safeParse(body);
    if (!parsed.success) throw invalidValues(parsed.error);
    // Optional members of parsed JSON are absent, never `undefined`.
    const changes = parsed.data as JsonObject;
    await this.preferences.change(owner, changes, { actor, expectedVersion }).catch(explain);
    return this.read(owner);
  }

  private async read(owner: PreferenceOwner): Promise<Preferences> {
    const { values: stored, version } = await this.preferences.read(owner);
    const values = readPreferences(stored);
    return { ...owner, version, preferences: { ...DEFAULT_PREFERENCES, ...values }, set: Object.keys(values).sort() };
  }
}

function findOwner(
  request: FastifyRequest,
  named: string | undefined,
): { readonly owner: PreferenceOwner; readonly actor: Actor } {
  const caller = getCaller(request);
  const actor = toActor(caller);
  return { owner: { user: getActorName(actor), tenant: chooseTenant(caller, RIGHT, named) }, actor };
}

function readVersion(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined) return undefined;
  const [, version] = /^\s*"(\d{1,15})"\s*$/.exec(ifMatch) ?? [];
  if (version !== undefined) return Number(version);
  throw invalidRequest([{ path: 'if-match', message: 'expected the version of the preferences in quotation marks' }]);
}

function explain(error: unknown): never {
  if (error instanceof PreferencesOutdated)
    throw new ApiProblem('preferences_changed', `Not done: ${error.message} Read them, and send the change again.`);
  throw error;
}
