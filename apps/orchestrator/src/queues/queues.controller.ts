import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { queueDepthsSchema, type QueueDepths } from '@phaseline/client';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { QueueReader } from './queue-reader.js';

@ApiTags('queues')
@Requires('queues:read')
@Controller('v1/queues')
export class QueuesController {
  constructor(private readonly reader: QueueReader) {}

  @Get()
  @ApiOperation({
    operationId: 'readQueues',
    summary: 'Waiting messages, age of the oldest, rates and time to drain per queue',
    description:
      'For the queues strategic, tactical and tools the rates count work that became due and ended, according to the log. For jobs, timers and repositories they count messages, as the processes that handle them report them within 3 s; counts of a process end when it stops.',
  })
  @ApiOkResponse({ standardSchema: queueDepthsSchema })
  @ApiProblems('not_ready')
  async depths(): Promise<QueueDepths> {
    return (await this.reader.read()).depths;
  }
}
