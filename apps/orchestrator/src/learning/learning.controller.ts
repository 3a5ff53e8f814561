import { Controller, Get, Param, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  calibrationQuerySchema,
  calibrationReportSchema,
  learningTracePageSchema,
  learningTraceSchema,
  learningTracesQuerySchema,
  type CalibrationGroup,
  type CalibrationQuery,
  type CalibrationReport,
  type LearningTracePage,
  type LearningTraceRecord,
  type LearningTracesQuery,
} from '@phaseline/client';
import { listTenantsWithRight } from '@phaseline/identity';
import { LearningTraces } from '@phaseline/learning';
import { computeBands, computeCalibration } from '@phaseline/planning';
import { readDecidedAssessments } from '@phaseline/projections';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { invalidRequest } from '../problem/validation.pipe.js';
import { findVisibleTrace } from './find-visible-trace.js';

/** What can be learned from ended work. */
@ApiTags('learning')
@Controller('v1/learning')
@Requires('jobs:read')
export class LearningController {
  constructor(
    @InjectPool() private readonly pool: Pool,
    private readonly traces: LearningTraces,
  ) {}

  @Get('calibration')
  @ApiOperation({
    operationId: 'readCalibration',
    summary: 'Confidence of the drafts of plans against what became of them, by agent and model',
    description:
      'Counts drafts of the tenants in which the caller may see jobs. Drafts that the planner replaced itself are not counted.',
  })
  @ApiOkResponse({ standardSchema: calibrationReportSchema })
  @ApiProblems('invalid_request')
  async calibration(
    @Query({ schema: toDescribableQuery(calibrationQuerySchema) }) query: CalibrationQuery,
    @Req() request: FastifyRequest,
  ): Promise<CalibrationReport> {
    const tenants = listTenantsWithRight(getCaller(request), 'jobs:read');
    const drafts = await readDecidedAssessments(this.pool, { ...query, tenants });
    const groups = Map.groupBy(drafts, ({ agent, model }) => JSON.stringify([agent, model]));
    return { items: [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => toGroup(group)) };
  }

  @Get('traces')
  @ApiOperation({
    operationId: 'listLearningTraces',
    summary: 'What guards, checks and people refused or decided in jobs, newest first, or what matches a text',
    description: 'Learning traces of the tenants in which the caller may see jobs. Encrypted jobs have none.',
  })
  @ApiOkResponse({ standardSchema: learningTracePageSchema })
  @ApiProblems('invalid_request')
  async listTraces(
    @Query({ schema: toDescribableQuery(learningTracesQuerySchema) }) query: LearningTracesQuery,
    @Req() request: FastifyRequest,
  ): Promise<LearningTracePage> {
    const { text, before, limit, ...filter } = query;
    const reader = { tenants: listTenantsWithRight(getCaller(request), 'jobs:read') };
    if (text !== undefined) {
      if (before !== undefined)
        throw invalidRequest([{ path: 'before', message: "expected no position, because 'text' has one page" }]);
      return { items: [...(await this.traces.search(reader, filter, { text, limit }))] };
    }
    const found = await this.traces.list(reader, filter, { before, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = items.at(-1);
    return { items, ...(found.length > limit && last ? { nextBefore: last.position } : {}) };
  }

  @Get('traces/:id')
  @ApiOperation({ operationId: 'readLearningTrace', summary: 'A learning trace' })
  @ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ standardSchema: learningTraceSchema })
  @ApiProblems('trace_not_found')
  readTrace(@Param('id') id: string, @Req() request: FastifyRequest): Promise<LearningTraceRecord> {
    return findVisibleTrace(this.pool, getCaller(request), 'jobs:read', id);
  }
}

function toGroup(drafts: Awaited<ReturnType<typeof readDecidedAssessments>>): CalibrationGroup {
  const { agent, model } = drafts[0]!;
  const bands = computeBands(drafts).map(({ from, to, ...band }) => ({ from, to, ...copy(band) }));
  return { agent, model, ...copy(computeCalibration(drafts)), bands };
}

/** The client has types that can be changed. */
function copy({ counts, interval, ...rest }: ReturnType<typeof computeCalibration>) {
  const [from, to] = interval ?? [];
  return {
    ...{ ...rest, counts: { ...counts } },
    interval: from === undefined || to === undefined ? null : ([from, to] as [number, number]),
  };
}
