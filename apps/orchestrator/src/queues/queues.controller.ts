import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { queueDepthsSchema, type QueueDepths } from '@phaseline/client';
import { DeadLetters } from '@phaseline/cluster';
import { Queues } from '@phaseline/queue';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';

@ApiTags('queues')
@Requires('queues:read')
@Controller('v1/queues')
export class QueuesController {
  constructor(
    private readonly queues: Queues,
    private readonly deadLetters: DeadLetters,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'readQueues',
    summary: 'Number of waiting messages per queue, and the age of the oldest',
  })
  @ApiOkResponse({ standardSchema: queueDepthsSchema })
  @ApiProblems('not_ready')
  async depths(): Promise<QueueDepths> {
    const [depths, letters] = await Promise.all([this.queues.readDepths(), this.deadLetters.count()]);
    return {
      backend: this.queues.backend,
      queues: Object.entries(depths).map(([name, { waiting, active, delayed, failed, oldestAgeMs }]) => ({
        queue: name,
        waiting,
        active,
        delayed,
        failed,
        ...(oldestAgeMs === undefined ? {} : { longestWaitMs: Math.round(oldestAgeMs) }),
      })),
      deadLetterCount: Object.values(letters).reduce((sum, count) => sum + count, 0),
    };
  }
}
