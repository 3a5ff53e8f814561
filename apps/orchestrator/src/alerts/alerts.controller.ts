import { Controller, Get, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { alertListSchema, type AlertList } from '@phaseline/client';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { AlertFactsReader } from './alert-facts-reader.js';
import { listAlerts } from './list-alerts.js';

/** What is wrong now. */
@ApiTags('alerts')
@Requires('processes:read')
@Controller('v1/alerts')
export class AlertsController {
  constructor(private readonly reader: AlertFactsReader) {}

  @Get()
  @ApiOperation({
    operationId: 'listAlerts',
    summary: 'What is wrong now, with the cause and a command that fixes it or shows more',
    description:
      'Critical alerts come first, then the oldest. Alerts about queues and the log need queues:read, those about jobs and tenants the right to see them in their tenant.',
  })
  @ApiOkResponse({ standardSchema: alertListSchema })
  @ApiProblems('not_ready')
  async list(@Req() request: FastifyRequest): Promise<AlertList> {
    const facts = await this.reader.read(getCaller(request));
    return { measuredAt: new Date(facts.now).toISOString(), items: listAlerts(facts) };
  }
}
