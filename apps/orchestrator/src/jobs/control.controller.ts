import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  approvalRequestSchema,
  controlResponseSchema,
  pauseRequestSchema,
  resumeRequestSchema,
  retryRequestSchema,
  steerRequestSchema,
  upgradeRequestSchema,
  type ApprovalRequest,
  type ControlResponse,
  type PauseRequest,
  type ResumeRequest,
  type RetryRequest,
  type SteerRequest,
  type UpgradeRequest,
} from '@phaseline/client';
import { budgetsSchema, type ControlRequest } from '@phaseline/domain';
import { Histories } from '@phaseline/history';
import { JobDriver, type AgentSource, type ControlOptions } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { AGENTS } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { SetAsideStreams } from '../reconciler/set-aside.js';
import { jobIdOf } from './job-id.js';
import { judged, Order, Ordered, type OrderHeaders } from './order.js';
import { toJobSummary } from './to-job-summary.js';

/** Who stands in the log for callers that do not say who they are. */
const API_ACTOR = 'api';

/** What people, and services that act for them, may ask of a job that is there. */
@ApiTags('control')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Controller('v1/jobs/:jobId')
export class ControlController {
  constructor(
    private readonly driver: JobDriver,
    private readonly histories: Histories,
    private readonly views: JobViews,
    @Inject(AGENTS) private readonly agents: AgentSource,
    private readonly setAside: SetAsideStreams,
  ) {}

  @Post('pause')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Take no further step',
    description:
      'A model call or tool that runs may end; its result is kept. The time of a pause is not counted as wall time.',
  })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  pause(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: pauseRequestSchema.prefault({}) })
    { actor = API_ACTOR, reason = '', ifUnchangedSince }: PauseRequest,
  ): Promise<ControlResponse> {
    return this.ask(id, { action: 'pause', actor, reason }, { ...order, ifUnchangedSince });
  }

  @Post('resume')
  @HttpCode(200)
  @ApiOperation({ summary: 'Go on after a pause' })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  resume(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: resumeRequestSchema.prefault({}) })
    { actor = API_ACTOR, reason = '', ifUnchangedSince }: ResumeRequest,
  ): Promise<ControlResponse> {
    return this.ask(id, { action: 'resume', actor, reason }, { ...order, ifUnchangedSince });
  }

  @Post('retry')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Try the phase that failed again',
    description:
      'Of a failed job: it goes on with the todos and files that the phase had; new budgets may be given. ' +
      'Of a job that was set aside: it is looked at again at once.',
  })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  async retry(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: retryRequestSchema.prefault({}) })
    { actor = API_ACTOR, reason = '', budgets, ifUnchangedSince }: RetryRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    if ((await this.setAside.release(jobId)).length > 0) {
      const view = await this.views.get(jobId);
      if (view && view.status !== 'failed') return { jobId, changed: true, status: toJobSummary(view).status };
    }
    const given = budgets ? { budgets: budgetsSchema.parse(budgets) } : {};
    return this.ask(id, { action: 'retry', actor, reason, ...given }, { ...order, ifUnchangedSince });
  }

  @Post('steer')
  @HttpCode(200)
  @ApiOperation({ summary: 'Say something to the agent', description: 'It is part of the next model call.' })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  steer(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: steerRequestSchema }) { actor = API_ACTOR, message, ifUnchangedSince }: SteerRequest,
  ): Promise<ControlResponse> {
    return this.ask(id, { action: 'steer', actor, message }, { ...order, ifUnchangedSince });
  }

  @Post('approve')
  @HttpCode(200)
  @ApiOperation({ summary: 'Allow a call that waits for a person' })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  approve(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: approvalRequestSchema }) { actor = API_ACTOR, callId, ifUnchangedSince }: ApprovalRequest,
  ): Promise<ControlResponse> {
    return this.ask(id, { action: 'approve', actor, callId }, { ...order, ifUnchangedSince });
  }

  @Post('refuse')
  @HttpCode(200)
  @ApiOperation({ summary: 'Refuse a call that waits for a person', description: 'The agent reads the reason.' })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems('invalid_request', 'job_not_found', 'request_refused', 'idempotency_conflict', 'not_ready')
  refuse(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: approvalRequestSchema })
    { actor = API_ACTOR, callId, reason = 'a person did not allow it.', ifUnchangedSince }: ApprovalRequest,
  ): Promise<ControlResponse> {
    return this.ask(id, { action: 'refuse', actor, callId, reason }, { ...order, ifUnchangedSince });
  }

  @Post('upgrade')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Go on by the newest definition of the agent',
    description: 'From the next phase on; the phase that runs ends by the definition that it began with.',
  })
  @ApiOkResponse({ standardSchema: controlResponseSchema })
  @Ordered()
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'job_unreadable',
    'request_refused',
    'idempotency_conflict',
    'not_ready',
  )
  async upgrade(
    @Param('jobId') id: string,
    @Order() order: OrderHeaders,
    @Body({ schema: upgradeRequestSchema.prefault({}) }) { actor = API_ACTOR, ifUnchangedSince }: UpgradeRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const job = await this.histories.job(jobId);
    if (!job) throw jobNotFound(jobId);
    const {
      definition: agent,
      hash: agentHash,
      workflow,
      workflowHash,
    } = await this.agents.resolve(job.definition.agent.name);
    const definition = { agent, agentHash, workflow, workflowHash };
    return this.ask(id, { action: 'change-definition', actor, definition }, { ...order, ifUnchangedSince });
  }

  private async ask(id: string, request: ControlRequest, options: ControlOptions): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const outcome = judged(jobId, await this.driver.control(jobId, request, options));
    if (outcome.kind === 'refused') throw new ApiProblem('request_refused', `Not done: ${outcome.reason}.`);
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    return { jobId, changed: outcome.kind === 'recorded', status: toJobSummary(view).status };
  }
}
