import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  deadLetterDetailSchema,
  deadLetterDiscardSchema,
  deadLetterPageSchema,
  deadLetterRetrySchema,
  deadLettersQuerySchema,
  discardDeadLetterRequestSchema,
  type DeadLetterDetail,
  type DeadLetterDiscard,
  type DeadLetterPage,
  type DeadLetterRetry,
  type DeadLettersQuery,
  type DiscardDeadLetterRequest,
} from '@phaseline/client';
import { DeadLetters } from '@phaseline/cluster';
import { EventStore } from '@phaseline/event-store';
import { toActor } from '@phaseline/identity';
import { Queues } from '@phaseline/queue';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { discardDeadLetter } from './discard-dead-letter.js';
import { findDeadLetter } from './find-dead-letter.js';
import { findResentJob } from './find-resent-job.js';
import { QueueCallers } from './queue-callers.js';
import { retryDeadLetter } from './retry-dead-letter.js';
import { toDeadLetterDetail, toDeadLetterRecord } from './to-dead-letter-record.js';

@ApiTags('queues')
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly queues: Queues,
    private readonly callers: QueueCallers,
    private readonly store: EventStore,
    @InjectPool() private readonly pool: Pool,
  ) {}

  @Get()
  @Requires('queues:read')
  @ApiOperation({
    operationId: 'listDeadLetters',
    summary: 'List messages that could not be delivered, with the reason; latest first',
  })
  @ApiOkResponse({ standardSchema: deadLetterPageSchema })
  @ApiProblems('invalid_request')
  async list(
    @Query({ schema: toDescribableQuery(deadLettersQuerySchema) }) { queue, limit, cursor }: DeadLettersQuery,
  ): Promise<DeadLetterPage> {
    const page = await this.deadLetters.list({
      limit,
      ...(queue === undefined ? {} : { queue }),
      ...(cursor === undefined ? {} : { cursor: positionOf(cursor) }),
    });
    return {
      items: page.deadLetters.map(toDeadLetterRecord),
      ...(page.cursor === undefined ? {} : { nextCursor: String(page.cursor) }),
    };
  }

  @Get(':id')
  @Requires('queues:read')
  @ApiOperation({
    operationId: 'getDeadLetter',
    summary: 'A message that could not be delivered, with its whole payload and other failures of the same message',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: deadLetterDetailSchema })
  @ApiProblems('dead_letter_not_found')
  async get(@Param('id') id: string): Promise<DeadLetterDetail> {
    const deadLetter = await findDeadLetter(this.deadLetters, id);
    const ofMessage = await this.deadLetters.listOfMessage(deadLetter.queue, deadLetter.messageId);
    const jobId = await findResentJob({ callers: this.callers, store: this.store }, deadLetter);
    return { ...toDeadLetterDetail(deadLetter, ofMessage), ...(jobId === undefined ? {} : { jobId }) };
  }

  @Post(':id/retry')
  @Requires('queues:control')
  @HttpCode(200)
  @ApiOperation({ operationId: 'retryDeadLetter', summary: 'Put a message back on its queue' })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: deadLetterRetrySchema })
  @ApiProblems('invalid_request', 'dead_letter_not_found', 'request_refused', 'not_ready')
  retry(@Param('id') id: string, @Req() request: FastifyRequest): Promise<DeadLetterRetry> {
    const { queues, store, pool } = this;
    return retryDeadLetter(this.deadLetters, { queues, store, pool }, id, toActor(getCaller(request)));
  }

  @Post(':id/discard')
  @Requires('queues:control')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'discardDeadLetter',
    summary: 'Close a dead letter without sending its message again',
    description: 'It remains in the database, with who discarded it and why.',
  })
  @ApiParam({ name: 'id' })
  @ApiOkResponse({ standardSchema: deadLetterDiscardSchema })
  @ApiProblems('invalid_request', 'dead_letter_not_found', 'request_refused', 'not_ready')
  discard(
    @Param('id') id: string,
    @Body({ schema: discardDeadLetterRequestSchema.prefault({}) }) { reason }: DiscardDeadLetterRequest,
    @Req() request: FastifyRequest,
  ): Promise<DeadLetterDiscard> {
    const actor = toActor(getCaller(request));
    const { store, pool } = this;
    return discardDeadLetter(this.deadLetters, { store, pool }, id, {
      actor,
      ...(reason === undefined ? {} : { reason }),
    });
  }
}

/** Parses a cursor. Throws ApiProblem. */
function positionOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest([{ path: 'cursor', message: 'expected the "nextCursor" of the previous page' }]);
  return Number(cursor);
}
