import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import {
  EVENT_STREAM_MEDIA_TYPE,
  eventPageSchema,
  eventsQuerySchema,
  LAST_EVENT_ID_HEADER,
  type EventPage,
  type EventsQuery,
} from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { JobViews, type JobView } from '@phaseline/projections';
import { hasRight } from '@phaseline/identity';
import { authenticateAgain, InjectShutdownSignal } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { jobNotFound } from '../problem/api-problem.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { eventStream, type EventStreamTimes } from './event-stream.js';
import { EVENT_STREAM_TIMES } from './event-stream-times.js';
import { JobWakes } from './job-wakes.js';
import { toEventRecord } from './to-event-record.js';

@ApiTags('events')
@Requires('jobs:read')
@Controller('v1/jobs/:jobId/events')
export class EventsController {
  constructor(
    private readonly store: EventStore,
    private readonly views: JobViews,
    private readonly wakes: JobWakes,
    private readonly tenants: JobTenants,
    @Inject(EVENT_STREAM_TIMES) private readonly times: EventStreamTimes,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'readEvents',
    summary: 'The events of a job: a page, or a stream',
    description: `With "Accept: ${EVENT_STREAM_MEDIA_TYPE}", returns server-sent events from any position on, until the event "end" reports that the job has ended.`,
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiHeader({
    name: LAST_EVENT_ID_HEADER,
    required: false,
    description: 'For a stream: continues after this position. Overrides "after".',
  })
  @ApiProduces('application/json', EVENT_STREAM_MEDIA_TYPE)
  @ApiOkResponse({ standardSchema: eventPageSchema })
  @ApiProblems('invalid_request', 'job_not_found')
  async read(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(eventsQuerySchema) }) asked: EventsQuery,
    @Headers('accept') accept: string | undefined,
    @Headers(LAST_EVENT_ID_HEADER) lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EventPage | Readable> {
    const jobId = jobIdOf(id);
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    if (!accept?.includes(EVENT_STREAM_MEDIA_TYPE)) return this.page(jobId, asked);
    const after = positionOf(lastEventId) ?? asked.after;
    void reply.headers({
      'content-type': `${EVENT_STREAM_MEDIA_TYPE}; charset=utf-8`,
      'cache-control': 'no-store',
      // Tell proxies not to buffer the response, which would delay events.
      'x-accel-buffering': 'no',
    });
    return request.method === 'HEAD' ? Readable.from([]) : this.stream(view, { ...asked, after }, request, reply);
  }

  private async page(jobId: JobId, { after, limit, types }: EventsQuery): Promise<EventPage> {
    const events = await this.store.readCorrelation(jobId, {
      after,
      limit,
      ...(types && types.length > 0 ? { types } : {}),
    });
    const last = events.at(-1);
    return {
      items: events.map(toEventRecord),
      ...(last && events.length === limit ? { nextAfter: last.position } : {}),
    };
  }

  private stream(
    { jobId, status }: JobView,
    { after, types }: EventsQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Readable {
    const disconnected = new AbortController();
    reply.raw.once('close', () => disconnected.abort());
    const parts = {
      wakes: this.wakes,
      times: this.times,
      read: (job: JobId, behind: number, limit: number) => this.store.readCorrelation(job, { after: behind, limit }),
      mayRead: () => this.mayRead(request, jobId),
    };
    const typeSet = types && types.length > 0 ? new Set(types) : undefined;
    const pieces = eventStream(
      parts,
      { jobId, status, after, types: typeSet },
      AbortSignal.any([disconnected.signal, this.shutdown]),
    );
    return Readable.from(pieces, { objectMode: false });
  }

  private async mayRead(request: FastifyRequest, jobId: JobId): Promise<boolean> {
    const [caller, tenant] = await Promise.all([authenticateAgain(request), this.tenants.find(jobId)]);
    return caller !== undefined && tenant !== undefined && hasRight(caller, 'jobs:read', tenant);
  }
}

/** Parses the header. Throws ApiProblem. */
function positionOf(lastEventId: string | undefined): number | undefined {
  if (lastEventId === undefined || lastEventId === '') return undefined;
  const position = Number(lastEventId);
  if (/^\d{1,16}$/.test(lastEventId) && Number.isSafeInteger(position)) return position;
  throw invalidRequest([{ path: LAST_EVENT_ID_HEADER, message: 'expected a position from the stream' }]);
}
