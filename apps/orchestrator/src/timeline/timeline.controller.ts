import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  atQuerySchema,
  jobWorkflowSchema,
  MAX_TIMELINE_PHASES,
  timelineQuerySchema,
  timelineSchema,
  type AtQuery,
  type JobWorkflow,
  type Timeline,
  type TimelineQuery,
} from '@phaseline/client';
import { DatabaseClock } from '@phaseline/cluster';
import { Timelines } from '@phaseline/time-travel';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { jobIdOf } from '../jobs/job-id.js';
import { jobNotFound } from '../problem/api-problem.js';
import { JobHistory } from '../state/job-history.js';
import { toJobWorkflow } from './to-job-workflow.js';
import { toTimeline } from './to-timeline.js';

/** What a job did, and the workflow that it follows, for drawing. */
@ApiTags('state')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('jobs:read')
@Controller('v1/jobs/:jobId')
export class TimelineController {
  constructor(
    private readonly timelines: Timelines,
    private readonly history: JobHistory,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('timeline')
  @ApiOperation({
    operationId: 'readTimeline',
    summary: 'What a job did in a window of time, as a lane per phase',
    description:
      'Spans that are shorter than a column of the window are merged and counted, so the size of the response depends on the width and the number of phases, not on the number of events.',
  })
  @ApiOkResponse({ standardSchema: timelineSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async read(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(timelineQuerySchema) }) { from, to, width }: TimelineQuery,
  ): Promise<Timeline> {
    const jobId = jobIdOf(id);
    const timeline = await this.timelines.build(jobId, {
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
      now: this.clock.now().getTime(),
      width,
      maxPhases: MAX_TIMELINE_PHASES,
    });
    if (!timeline) throw jobNotFound(jobId);
    return toTimeline(timeline);
  }

  @Get('workflow')
  @ApiOperation({
    operationId: 'readWorkflow',
    summary: 'The workflow of a job as a graph of states and transitions, as of an event',
    description: 'A job that was upgraded follows the workflow of its newer definition.',
  })
  @ApiOkResponse({ standardSchema: jobWorkflowSchema })
  @ApiProblems('invalid_request', 'job_not_found', 'job_unreadable')
  async workflow(
    @Param('jobId') id: string,
    @Query({ schema: toDescribableQuery(atQuerySchema) }) { at }: AtQuery,
  ): Promise<JobWorkflow> {
    const jobId = jobIdOf(id);
    const { job } = await this.history.at(jobId, at);
    return toJobWorkflow(jobId, job.definition.workflow);
  }
}
