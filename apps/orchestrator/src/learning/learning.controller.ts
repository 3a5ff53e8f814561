import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  calibrationQuerySchema,
  calibrationReportSchema,
  type CalibrationGroup,
  type CalibrationQuery,
  type CalibrationReport,
} from '@phaseline/client';
import { listTenantsWithRight } from '@phaseline/identity';
import { computeBands, computeCalibration } from '@phaseline/planning';
import { readDecidedAssessments } from '@phaseline/projections';
import { getCaller, InjectPool } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';

/** What can be learned from ended work. */
@ApiTags('learning')
@Controller('v1/learning')
@Requires('jobs:read')
export class LearningController {
  constructor(@InjectPool() private readonly pool: Pool) {}

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
