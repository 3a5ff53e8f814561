import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  MAX_LISTED_HITS,
  releaseCheckRequestBodySchema,
  releaseCheckSchema,
  whatIfBacktestRequestSchema,
  whatIfBacktestSchema,
  whatIfBillRequestSchema,
  whatIfBillSchema,
  type ParsedReleaseCheckRequestBody,
  type ParsedWhatIfBacktestRequest,
  type ParsedWhatIfBillRequest,
  type ReleaseCheck,
  type WhatIfBacktest,
  type WhatIfBill,
} from '@phaseline/client';
import {
  backtestMessageSchema,
  billMessageSchema,
  releaseCheckMessageSchema,
  type BacktestFigures,
  type JobBacktest,
  type JobBill,
  type JobCheck,
  type JobSelection,
} from '@phaseline/contracts';
import { RELEASE } from '@phaseline/event-store';
import type { Caller, Right } from '@phaseline/identity';
import { toTriedGuard } from '@phaseline/orchestration';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { requireRight } from '../access/access-guard.js';
import { chooseTenant } from '../access/choose-tenant.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { requireGuard } from '../guards/require-guard.js';
import { toBacktestRequest } from './backtest-request.js';
import { WhatIfProgram } from './what-if-program.js';

const LIMITS =
  'Nothing is executed, recorded or charged, and no model is called. The server decides the jobs of one request at a time again, for at most four minutes.';

/** What recorded jobs would have been with another guard, other settings or another release. */
@ApiTags('what-if')
@Controller('v1/what-if')
export class WhatIfController {
  constructor(private readonly program: WhatIfProgram) {}

  @Post('backtests')
  @HttpCode(200)
  @Requires('guards:backtest')
  @ApiOperation({
    operationId: 'tryGuard',
    summary: 'What a rule or a script, which is not stored, would have decided in recorded jobs',
    description: `It shows the arguments of calls, so that the caller needs \`jobs:read\` too. ${LIMITS}`,
  })
  @ApiOkResponse({ standardSchema: whatIfBacktestSchema })
  @ApiProblems('invalid_request', 'forbidden', 'request_refused', 'what_if_running')
  async backtest(
    @Body({ schema: whatIfBacktestRequestSchema }) { guard: sent, ...chosen }: ParsedWhatIfBacktestRequest,
    @Req() request: FastifyRequest,
  ): Promise<WhatIfBacktest> {
    const selection = selectJobs(getCaller(request), 'guards:backtest', chosen);
    const jobs: JobBacktest[] = [];
    let figures: BacktestFigures | undefined;
    let [listed, omittedHits] = [0, 0];
    await this.program.run(
      toBacktestRequest(toTriedGuard(requireGuard(sent)), selection),
      backtestMessageSchema,
      async (messages) => {
        for await (const message of messages) {
          if (message.kind === 'figures') figures = message.figures;
          if (message.kind !== 'backtested') continue;
          const { hits, ...job } = message.backtest;
          const shown = hits.slice(0, MAX_LISTED_HITS - listed);
          listed += shown.length;
          omittedHits += hits.length - shown.length;
          if (shown.length > 0 || job.unreadable !== undefined) jobs.push({ ...job, hits: shown });
        }
      },
    );
    if (!figures) throw new Error('the program that decides recorded jobs again reported no figures');
    return { release: RELEASE, jobs, omittedHits, figures };
  }

  @Post('bills')
  @HttpCode(200)
  @Requires('jobs:redecide')
  @ApiOperation({
    operationId: 'computeBill',
    summary: 'What recorded jobs would have cost with other settings of the context, or at other prices',
    description: LIMITS,
  })
  @ApiOkResponse({ standardSchema: whatIfBillSchema })
  @ApiProblems('invalid_request', 'forbidden', 'request_refused', 'what_if_running')
  async bill(
    @Body({ schema: whatIfBillRequestSchema }) { context, prices, ...chosen }: ParsedWhatIfBillRequest,
    @Req() request: FastifyRequest,
  ): Promise<WhatIfBill> {
    const supposed = { ...(context ? { context } : {}), ...(prices ? { prices } : {}) };
    const selection = selectJobs(getCaller(request), 'jobs:redecide', chosen);
    const jobs: JobBill[] = [];
    const unbilled: WhatIfBill['unbilled'] = [];
    await this.program.run({ kind: 'bill', ...supposed, ...selection }, billMessageSchema, async (messages) => {
      for await (const message of messages) {
        if (message.kind === 'billed') jobs.push(message.bill);
        else if (message.kind === 'unbilled') unbilled.push({ jobId: message.jobId, reason: message.reason });
      }
    });
    return { release: RELEASE, jobs, unbilled };
  }

  @Post('release-checks')
  @HttpCode(200)
  @Requires('jobs:redecide')
  @ApiOperation({
    operationId: 'checkRelease',
    summary: 'The decisions that the release of the server makes in another way than the one that recorded them',
    description: LIMITS,
  })
  @ApiOkResponse({ standardSchema: releaseCheckSchema })
  @ApiProblems('invalid_request', 'forbidden', 'request_refused', 'what_if_running')
  async checkRelease(
    @Body({ schema: releaseCheckRequestBodySchema }) chosen: ParsedReleaseCheckRequestBody,
    @Req() request: FastifyRequest,
  ): Promise<ReleaseCheck> {
    const selection = selectJobs(getCaller(request), 'jobs:redecide', chosen);
    const jobs: JobCheck[] = [];
    await this.program.run({ kind: 'release-check', ...selection }, releaseCheckMessageSchema, async (messages) => {
      for await (const message of messages) if (message.kind === 'checked') jobs.push(message.check);
    });
    return { release: RELEASE, jobs };
  }
}

/** The jobs of a request, in a tenant whose jobs the caller may read. Throws ApiProblem. */
function selectJobs(
  caller: Caller,
  right: Right,
  { tenant: named, agent, since, maxJobs }: ParsedReleaseCheckRequestBody,
): JobSelection {
  const tenant = chooseTenant(caller, right, named);
  requireRight(caller, 'jobs:read', tenant);
  return {
    ...{ tenant, limit: maxJobs },
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since }),
  };
}
