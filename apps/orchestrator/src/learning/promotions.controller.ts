import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  promoteTraceRequestSchema,
  traceScopeChangeSchema,
  withdrawTraceRequestSchema,
  type PromoteTraceRequest,
  type TraceScopeChangeRecord,
  type WithdrawTraceRequest,
} from '@phaseline/client';
import { toActor } from '@phaseline/identity';
import { PromotionRefused, TracePromotions } from '@phaseline/learning';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { ApiProblem } from '../problem/api-problem.js';
import { findVisibleTrace } from './find-visible-trace.js';

/** What agents of other jobs may read. */
@ApiTags('learning')
@Controller('v1/learning/traces/:id')
@Requires('learning:promote')
export class PromotionsController {
  constructor(
    @InjectPool() private readonly pool: Pool,
    private readonly promotions: TracePromotions,
  ) {}

  @Post('promotions')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'promoteLearningTrace',
    summary: 'Let agents of other jobs of the tenant read a learning trace',
    description: 'The person for whom its job ran cannot promote it. Queries follow within seconds.',
  })
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ standardSchema: traceScopeChangeSchema })
  @ApiProblems('invalid_request', 'trace_not_found', 'request_refused')
  async promote(
    @Param('id') id: string,
    @Body({ schema: promoteTraceRequestSchema }) body: PromoteTraceRequest,
    @Req() request: FastifyRequest,
  ): Promise<TraceScopeChangeRecord> {
    const caller = getCaller(request);
    const trace = await findVisibleTrace(this.pool, caller, 'learning:promote', id);
    const { isChanged, scope } = await this.promotions.promote(trace, body, toActor(caller)).catch(toProblem);
    return { changed: isChanged, id: trace.id, scope };
  }

  @Post('withdrawals')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'withdrawLearningTrace',
    summary: 'Take the promotion of a learning trace back',
    description: 'What running phases have read of it stays in their conversations. Queries follow within seconds.',
  })
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ standardSchema: traceScopeChangeSchema })
  @ApiProblems('invalid_request', 'trace_not_found', 'request_refused')
  async withdraw(
    @Param('id') id: string,
    @Body({ schema: withdrawTraceRequestSchema }) { reason }: WithdrawTraceRequest,
    @Req() request: FastifyRequest,
  ): Promise<TraceScopeChangeRecord> {
    const caller = getCaller(request);
    const trace = await findVisibleTrace(this.pool, caller, 'learning:promote', id);
    const { isChanged, scope } = await this.promotions.withdraw(trace, reason, toActor(caller)).catch(toProblem);
    return { changed: isChanged, id: trace.id, scope };
  }
}

function toProblem(error: unknown): never {
  if (error instanceof PromotionRefused) throw new ApiProblem('request_refused', `Not done: ${error.message}.`);
  throw error;
}
