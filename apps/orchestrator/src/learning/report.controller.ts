import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  learningReportQuerySchema,
  learningReportSchema,
  type LearningReportQuery,
  type LearningReportRecord,
} from '@phaseline/client';
import { countTokens } from '@phaseline/context';
import { EventStore } from '@phaseline/event-store';
import { listTenantsWithRight } from '@phaseline/identity';
import { LearningReports } from '@phaseline/learning';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { AGENTS, type Agents } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';

/** Whether agents learn from what happened. */
@ApiTags('learning')
@Controller('v1/learning/report')
@Requires('jobs:read')
export class LearningReportController {
  private readonly reports: LearningReports;

  constructor(
    @InjectPool() pool: Pool,
    store: EventStore,
    @Inject(AGENTS) private readonly agents: Agents,
  ) {
    this.reports = new LearningReports(pool, store);
  }

  @Get()
  @ApiOperation({
    operationId: 'readLearningReport',
    summary: 'Five anti-patterns of learning and five measures of success, counted from the log',
    description: 'Counts the newest jobs of the tenants in which the caller may see jobs.',
  })
  @ApiOkResponse({ standardSchema: learningReportSchema })
  @ApiProblems('invalid_request')
  async read(
    @Query({ schema: toDescribableQuery(learningReportQuerySchema) }) query: LearningReportQuery,
    @Req() request: FastifyRequest,
  ): Promise<LearningReportRecord> {
    const tenants = listTenantsWithRight(getCaller(request), 'jobs:read');
    const { metrics, ...report } = await this.reports.compute({ ...query, tenants });
    return { ...report, metrics: { ...metrics, promptSize: await this.measurePrompts(query.agent) } };
  }

  private async measurePrompts(only: string | undefined): Promise<LearningReportRecord['metrics']['promptSize']> {
    await this.agents.refresh();
    const names = this.agents.list().items.map(({ name }) => name);
    return names
      .filter((name) => only === undefined || name === only)
      .map((name) => {
        const { instructions } = this.agents.describe(name);
        return { agent: name, lines: countLines(instructions), tokens: countTokens(instructions) };
      });
  }
}

function countLines(text: string): number {
  return text === '' ? 0 : text.trimEnd().split('\n').length;
}
