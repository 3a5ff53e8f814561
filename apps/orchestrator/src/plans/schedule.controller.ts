import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { ScheduleFormat } from '@phaseline/client';
import type { FastifyReply } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { jobIdOf } from '../jobs/job-id.js';
import { PlanReader } from './plan-reader.js';
import { renderSchedule } from './render-schedule.js';

const problems = [
  ...(['job_not_found', 'plan_not_found', 'plan_has_no_schedule'] as const),
  ...(['job_unreadable', 'content_erased', 'file_removed'] as const),
];

/** The schedule of a plan as files: a calendar, a table and a picture. */
@ApiTags('plans')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Requires('files:read')
@Controller('v1/plans/:jobId')
export class ScheduleController {
  constructor(private readonly reader: PlanReader) {}

  @Get('schedule.ics')
  @ApiOperation({
    operationId: 'readScheduleCalendar',
    summary: 'The schedule of a plan as a calendar file (RFC 5545)',
  })
  @ApiProduces('text/calendar')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblems(...problems)
  calendar(@Param('jobId') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.send(id, 'ics', reply);
  }

  @Get('schedule.csv')
  @ApiOperation({ operationId: 'readScheduleTable', summary: 'The schedule of a plan as a table (RFC 4180)' })
  @ApiProduces('text/csv')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblems(...problems)
  table(@Param('jobId') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.send(id, 'csv', reply);
  }

  @Get('schedule.svg')
  @ApiOperation({ operationId: 'readSchedulePicture', summary: 'The schedule of a plan as a Gantt picture' })
  @ApiProduces('image/svg+xml')
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiProblems(...problems)
  picture(@Param('jobId') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    return this.send(id, 'svg', reply);
  }

  private async send(id: string, format: ScheduleFormat, reply: FastifyReply): Promise<string> {
    const { text, headers } = renderSchedule(await this.reader.read(jobIdOf(id)), format, new Date());
    void reply.headers(headers);
    return text;
  }
}
