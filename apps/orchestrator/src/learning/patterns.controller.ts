import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  guardProposalSchema,
  patternListSchema,
  patternsQuerySchema,
  type GuardProposalRecord,
  type PatternList,
  type PatternRecord,
  type PatternsQuery,
} from '@phaseline/client';
import { getActorName } from '@phaseline/contracts';
import { listTenantsWithRight, toActor } from '@phaseline/identity';
import { Patterns, type Pattern } from '@phaseline/learning';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { ApiProblem } from '../problem/api-problem.js';

/** Mistakes that agents made several times, and the rules that would deny them. */
@ApiTags('learning')
@Controller('v1/learning/patterns')
@Requires('jobs:read')
export class PatternsController {
  private readonly patterns: Patterns;

  constructor(@InjectPool() pool: Pool) {
    this.patterns = new Patterns(pool);
  }

  @Get()
  @ApiOperation({
    operationId: 'listLearningPatterns',
    summary: 'Mistakes that agents made at least five times, the most frequent first',
    description:
      'Of the tenants in which the caller may see jobs. Nothing changes by itself: each pattern says what a person may do.',
  })
  @ApiOkResponse({ standardSchema: patternListSchema })
  @ApiProblems('invalid_request')
  async list(
    @Query({ schema: toDescribableQuery(patternsQuerySchema) }) query: PatternsQuery,
    @Req() request: FastifyRequest,
  ): Promise<PatternList> {
    const tenants = listTenantsWithRight(getCaller(request), 'jobs:read');
    return { items: (await this.patterns.list({ tenants }, query)).map(toRecord) };
  }

  @Get(':pattern/guard')
  @ApiOperation({
    operationId: 'proposeGuard',
    summary: 'The least general rule that denies the calls of a pattern and no accepted call of a completed job',
    description: 'Nothing is stored. The rule is derived from the calls; no model writes any of it.',
  })
  @ApiParam({ name: 'pattern' })
  @ApiOkResponse({ standardSchema: guardProposalSchema })
  @ApiProblems('pattern_not_found')
  async proposeGuard(@Param('pattern') id: string, @Req() request: FastifyRequest): Promise<GuardProposalRecord> {
    const caller = getCaller(request);
    const tenants = listTenantsWithRight(caller, 'jobs:read');
    const found = await this.patterns.propose({ tenants }, id, getActorName(toActor(caller)));
    if (!found) throw new ApiProblem('pattern_not_found', `There is no pattern ${id}. List them to see their ids.`);
    return { pattern: toRecord(found.pattern), ...found.proposal };
  }
}

/** The client has types that can be changed. */
function toRecord({ proposals, examples, ...pattern }: Pattern): PatternRecord {
  return { ...pattern, proposals: [...proposals], examples: [...examples] };
}
