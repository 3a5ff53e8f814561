import { Readable } from 'node:stream';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { EVENT_STREAM_MEDIA_TYPE, liveQuerySchema, type LiveEvent, type LiveQuery } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { RELEASE } from '@phaseline/event-store';
import { hasRight, hasRightSomewhere, type Caller } from '@phaseline/identity';
import { authenticateAgain, getCaller, InjectShutdownSignal } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import type { EventStreamTimes } from '../events/event-stream.js';
import { EVENT_STREAM_TIMES } from '../events/event-stream-times.js';
import { LiveHub } from './live-hub.js';
import { liveStream } from './live-stream.js';

/** Tells browsers what has changed, on one connection for all tabs. */
@ApiTags('live')
@Requires('jobs:read')
@Controller('v1/live')
export class LiveController {
  constructor(
    private readonly hub: LiveHub,
    private readonly tenants: JobTenants,
    @Inject(EVENT_STREAM_TIMES) private readonly times: EventStreamTimes,
    @InjectShutdownSignal() private readonly shutdown: AbortSignal,
  ) {}

  @Get()
  @ApiOperation({
    operationId: 'followChanges',
    summary: 'Which jobs change, and the answers that models are writing, as a stream',
    description:
      'Server-sent events: "hello" with the release; "jobs" with the ids of jobs that have new events; "inbox" when what waits for a person may have changed; "answer" with text of running model calls of the jobs in "watch"; "resynchronise" when changes may have been missed. All are hints that may get lost: read again what is shown after each connection. Contains only jobs of tenants in which the caller may read jobs.',
  })
  @ApiProduces(EVENT_STREAM_MEDIA_TYPE)
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblems('invalid_request', 'rate_limited')
  async follow(
    @Query({ schema: toDescribableQuery(liveQuerySchema) }) { watch }: LiveQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const caller = getCaller(request);
    const watching = await this.selectWatched(caller, watch);
    void reply.headers({
      'content-type': `${EVENT_STREAM_MEDIA_TYPE}; charset=utf-8`,
      'cache-control': 'no-store',
      // Tell proxies not to buffer the response, which would delay events.
      'x-accel-buffering': 'no',
    });
    // A caller that has left meanwhile closes nothing any more.
    if (request.method === 'HEAD' || reply.raw.closed) return Readable.from([]);
    const answered = watching.filter(({ hasAnswers }) => hasAnswers).map(({ jobId }) => jobId);
    return this.stream({ type: 'hello', release: RELEASE, watching }, answered, request, reply);
  }

  private stream(
    hello: Extract<LiveEvent, { type: 'hello' }>,
    answered: readonly JobId[],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Readable {
    const caller = getCaller(request);
    const open = this.hub.open(caller.id, answered);
    const disconnected = new AbortController();
    reply.raw.once('close', () => {
      open[Symbol.dispose]();
      disconnected.abort();
    });
    const pieces = liveStream(
      {
        connection: open.connection,
        ready: open.ready,
        times: this.times,
        authenticate: () => this.authenticate(request),
        findTenant: (jobId) => this.tenants.find(jobId),
      },
      { caller, hello },
      AbortSignal.any([disconnected.signal, this.shutdown]),
    );
    return Readable.from(pieces, { objectMode: false });
  }

  /** Leaves out jobs that the caller may not read, as if they did not exist. */
  private async selectWatched(caller: Caller, watch: readonly JobId[]) {
    const watching: { jobId: JobId; hasAnswers: boolean }[] = [];
    for (const jobId of new Set(watch)) {
      const tenant = await this.tenants.find(jobId);
      if (tenant === undefined || !hasRight(caller, 'jobs:read', tenant)) continue;
      watching.push({ jobId, hasAnswers: !isEncryptedJob(jobId) });
    }
    return watching;
  }

  private async authenticate(request: FastifyRequest): Promise<Caller | undefined> {
    const caller = await authenticateAgain(request);
    return caller && hasRightSomewhere(caller, 'jobs:read') ? caller : undefined;
  }
}
