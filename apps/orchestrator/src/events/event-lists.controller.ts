import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  eventIndexQuerySchema,
  eventIndexSchema,
  eventRowPageSchema,
  eventRowsQuerySchema,
  toEventRow,
  type EventIndex,
  type EventIndexQuery,
  type EventRowPage,
  type EventsQuery,
} from '@phaseline/client';
import { EventStore } from '@phaseline/event-store';
import { InjectPool } from '@phaseline/service';
import { readEventIndex } from '@phaseline/time-travel';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { toEventRecord } from './to-event-record.js';

/** What a list of a job's events needs: where its pages are, and its rows. */
@ApiTags('events')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId/events')
export class EventListsController {
  constructor(
    private readonly store: EventStore,
    @InjectPool() private readonly pool: Pool,
  ) {}

  @Get('index')
  @ApiOperation({
    operationId: 'indexEvents',
    summary: 'The number of events of a job, and where each page of them begins',
    description:
      'Page k is read with "after" = the position of anchor k. To extend the index of a running job, pass the position of its last anchor as "after".',
  })
  @ApiOkResponse({ standardSchema: eventIndexSchema })
  @ApiProblems('invalid_request', 'job_not_found')
  async index(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(eventIndexQuerySchema) }) { every, after }: EventIndexQuery,
  ): Promise<EventIndex> {
    const { anchors, ...index } = await readEventIndex(this.pool, jobIdOf(id), {
      every,
      after,
      cold: this.store.cold,
    });
    return { ...index, anchors: [...anchors] };
  }

  @Get('rows')
  @ApiOperation({
    operationId: 'listEventRows',
    summary: 'A page of events as rows of a list: a summary of each, without its data',
  })
  @ApiOkResponse({ standardSchema: eventRowPageSchema })
  @ApiProblems('invalid_request', 'job_not_found')
  async rows(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(eventRowsQuerySchema) }) { after, limit, types }: EventsQuery,
  ): Promise<EventRowPage> {
    const selected = types && types.length > 0 ? { types } : {};
    const events = await this.store.readCorrelation(jobIdOf(id), { after, limit, ...selected });
    const last = events.at(-1);
    return {
      items: events.map((event) => toEventRow(toEventRecord(event))),
      ...(last && events.length === limit ? { nextAfter: last.position } : {}),
    };
  }
}
