import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  guardProposalSchema,
  patternListSchema,
  patternProposalsSchema,
  patternsQuerySchema,
  type GuardProposalRecord,
  type PatternList,
  type PatternProposalRecord,
  type PatternProposals,
  type PatternRecord,
  type PatternsQuery,
} from '@phaseline/client';
import { getActorName } from '@phaseline/contracts';
import { findVersion } from '@phaseline/domain';
import { EventStore } from '@phaseline/event-store';
import { listTenantsWithRight, toActor, type Caller } from '@phaseline/identity';
import { Patterns, type Pattern, type PatternGroup, type Proposal } from '@phaseline/learning';
import { GuardRegistry } from '@phaseline/orchestration';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { requireRight } from '../access/access-guard.js';
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

  constructor(
    @InjectPool() pool: Pool,
    private readonly registry: GuardRegistry,
    private readonly store: EventStore,
  ) {
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
    const group = await this.find(caller, id);
    const proposal = await this.patterns.proposeGuard(group, getActorName(toActor(caller)));
    return { pattern: toRecord(group.pattern), ...proposal };
  }

  @Get(':pattern/proposals')
  @ApiOperation({
    operationId: 'proposeChanges',
    summary: 'What a person may do about a pattern: a stricter guard, other instructions, or a new rule',
    description:
      'Nothing is stored, and no model writes any of it. It also needs the rights `files:read` and `guards:read` in the tenant of the pattern, because it contains instructions and guards.',
  })
  @ApiParam({ name: 'pattern' })
  @ApiOkResponse({ standardSchema: patternProposalsSchema })
  @ApiProblems('forbidden', 'pattern_not_found')
  async propose(@Param('pattern') id: string, @Req() request: FastifyRequest): Promise<PatternProposals> {
    const caller = getCaller(request);
    const group = await this.find(caller, id);
    for (const right of ['files:read', 'guards:read'] as const) requireRight(caller, right, group.pattern.tenant);
    const proposals = await this.patterns.propose(group, getActorName(toActor(caller)), {
      readFile: (jobId, hash) => this.store.blobs.forJob(jobId).get(hash),
      findStored: async (tenant, name, version) =>
        findVersion(await this.registry.read({ tenant, name }), { version })?.added,
    });
    return { pattern: toRecord(group.pattern), proposals: proposals.map(toProposalRecord) };
  }

  private async find(caller: Caller, id: string): Promise<PatternGroup> {
    const group = await this.patterns.find({ tenants: listTenantsWithRight(caller, 'jobs:read') }, id);
    if (group) return group;
    throw new ApiProblem('pattern_not_found', `There is no pattern ${id}. List them to see their ids.`);
  }
}

function toProposalRecord({ files, ...proposal }: Proposal): PatternProposalRecord {
  return { ...proposal, ...(files ? { files: { ...files } } : {}) };
}

/** The client has types that can be changed. */
function toRecord({ proposals, examples, ...pattern }: Pattern): PatternRecord {
  return { ...pattern, proposals: [...proposals], examples: [...examples] };
}
