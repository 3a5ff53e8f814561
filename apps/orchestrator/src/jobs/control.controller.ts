import { applyDecorators, Body, Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags, type ApiOperationOptions } from '@nestjs/swagger';
import {
  answerRequestSchema,
  approvalDecisionRequestSchema,
  approveRequestSchema,
  controlResponseSchema,
  pauseRequestSchema,
  resumeRequestSchema,
  retryRequestSchema,
  steerRequestSchema,
  upgradeRequestSchema,
  type AnswerRequest,
  type ApprovalDecisionRequest,
  type ApproveRequest,
  type ControlAction,
  type ControlResponse,
  type PauseRequest,
  type ProblemCode,
  type ResumeRequest,
  type RetryRequest,
  type SteerRequest,
  type UpgradeRequest,
} from '@phaseline/client';
import type { JsonObject, JsonValue } from '@phaseline/basics';
import { budgetsSchema, type ControlRequest } from '@phaseline/domain';
import type { Right } from '@phaseline/identity';
import { JobRepository } from '@phaseline/repository';
import { JobDriver, toJobDefinition, type AgentSource, type ControlOptions } from '@phaseline/orchestration';
import { JobViews } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { Requires } from '../access/requires.js';
import { AGENTS } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { PlanRules } from '../plans/plan-rules.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { QuarantineKeeper } from '../reconciler/quarantine-keeper.js';
import { jobIdOf } from './job-id.js';
import { requireJobOutcome, ControlHeadersParam, ApiControlHeaders, type ControlHeaders } from './control-headers.js';
import { releaseForRetry } from './release-for-retry.js';
import { toJobSummary } from './to-job-summary.js';

/** Refusals of a decision that a person makes about one call. */
const decisionProblems = [
  'not_waiting',
  'already_decided',
  'deadline_passed',
  'version_mismatch',
  // Who may decide about a plan is part of the plan.
  'job_unreadable',
  'content_erased',
  'file_removed',
] as const satisfies readonly ProblemCode[];

type PersonRequest = Extract<ControlRequest, { readonly action: 'approve' | 'refuse' | 'answer' }>;

/** Method decorator of a route that makes a request to a job. */
const PostControl = (
  action: ControlAction,
  right: Right,
  operation: Pick<ApiOperationOptions, 'operationId' | 'summary' | 'description'>,
  ...problems: readonly ProblemCode[]
): MethodDecorator =>
  applyDecorators(
    Post(action),
    Requires(right),
    HttpCode(200),
    ApiOperation(operation),
    ApiOkResponse({ standardSchema: controlResponseSchema }),
    ApiControlHeaders(),
    ApiProblems(
      'invalid_request',
      'job_not_found',
      ...problems,
      'request_refused',
      'idempotency_conflict',
      'not_ready',
    ),
  );

/** Requests that people, or services acting for them, may make to an existing job. */
@ApiTags('control')
@ApiParam({ name: 'jobId', format: 'uuid' })
@Controller('v1/jobs/:jobId')
export class ControlController {
  constructor(
    private readonly driver: JobDriver,
    private readonly repository: JobRepository,
    private readonly views: JobViews,
    @Inject(AGENTS) private readonly agents: AgentSource,
    private readonly quarantine: QuarantineKeeper,
    private readonly planRules: PlanRules,
  ) {}

  @PostControl('pause', 'jobs:control', {
    operationId: 'pauseJob',
    summary: 'Pause a job',
    description:
      'A running model call or tool may finish, and its result is kept. The time of a pause does not count as wall time.',
  })
  pause(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: pauseRequestSchema.prefault({}) })
    { reason = '', ifUnchangedSince }: PauseRequest,
  ): Promise<ControlResponse> {
    return this.applyRequest(id, { action: 'pause', actor: order.actor, reason }, { ...order, ifUnchangedSince });
  }

  @PostControl('resume', 'jobs:control', { operationId: 'resumeJob', summary: 'Resume a paused job' })
  resume(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: resumeRequestSchema.prefault({}) })
    { reason = '', ifUnchangedSince }: ResumeRequest,
  ): Promise<ControlResponse> {
    return this.applyRequest(id, { action: 'resume', actor: order.actor, reason }, { ...order, ifUnchangedSince });
  }

  @PostControl('retry', 'jobs:control', {
    operationId: 'retryJob',
    summary: 'Retry the phase that failed',
    description:
      'A failed job continues with the todos and files of that phase; new budgets may be set. ' +
      'A quarantined job is checked again immediately.',
  })
  async retry(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: retryRequestSchema.prefault({}) })
    { reason = '', budgets, ifUnchangedSince }: RetryRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const released = await releaseForRetry(jobId, this.quarantine, this.views);
    if (released) return { jobId, changed: true, status: toJobSummary(released).status };
    const changes = budgets ? { budgets: budgetsSchema.parse(budgets) } : {};
    return this.applyRequest(
      id,
      { action: 'retry', actor: order.actor, reason, ...changes },
      { ...order, ifUnchangedSince },
    );
  }

  @PostControl('steer', 'jobs:control', {
    operationId: 'steerJob',
    summary: 'Send a message to the agent',
    description: 'It becomes part of the next model call.',
  })
  steer(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: steerRequestSchema }) { message, ifUnchangedSince }: SteerRequest,
  ): Promise<ControlResponse> {
    return this.applyRequest(id, { action: 'steer', actor: order.actor, message }, { ...order, ifUnchangedSince });
  }

  @PostControl(
    'approve',
    'approvals:decide',
    {
      operationId: 'approveToolCall',
      summary: 'Approve a tool call that waits for approval',
      description:
        'Applies to the arguments with this hash only, once, and until it expires. Other arguments may be given.',
    },
    ...decisionProblems,
    'invalid_arguments',
  )
  approve(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: approveRequestSchema })
    { callId, argumentsHash, arguments: amended, reason, ifUnchangedSince }: ApproveRequest,
    @Req() http: FastifyRequest,
  ): Promise<ControlResponse> {
    const request: PersonRequest = {
      action: 'approve',
      actor: order.actor,
      callId,
      argumentsHash,
      // The body was parsed from JSON.
      ...(amended === undefined ? {} : { amended: amended as JsonObject }),
      ...(reason === undefined ? {} : { reason }),
    };
    return this.decide(id, http, request, { ...order, ifUnchangedSince });
  }

  @PostControl(
    'refuse',
    'approvals:decide',
    {
      operationId: 'refuseToolCall',
      summary: 'Refuse a tool call that waits for approval',
      description: 'The agent reads the reason.',
    },
    ...decisionProblems,
  )
  refuse(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: approvalDecisionRequestSchema })
    { callId, reason = 'a person did not allow it.', ifUnchangedSince }: ApprovalDecisionRequest,
    @Req() http: FastifyRequest,
  ): Promise<ControlResponse> {
    return this.decide(
      id,
      http,
      { action: 'refuse', actor: order.actor, callId, reason },
      { ...order, ifUnchangedSince },
    );
  }

  @PostControl(
    'answer',
    'questions:answer',
    {
      operationId: 'answerQuestion',
      summary: 'Answer a question of an agent',
      description: 'The job continues with the answer. A question is answered once, and before its deadline.',
    },
    ...decisionProblems,
    'invalid_answer',
  )
  answer(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: answerRequestSchema })
    { callId, questionHash, answer, ifUnchangedSince }: AnswerRequest,
    @Req() http: FastifyRequest,
  ): Promise<ControlResponse> {
    const request: PersonRequest = {
      action: 'answer',
      actor: order.actor,
      callId,
      questionHash,
      answer: answer as JsonValue,
    };
    return this.decide(id, http, request, { ...order, ifUnchangedSince });
  }

  @PostControl(
    'upgrade',
    'jobs:control',
    {
      operationId: 'upgradeJob',
      summary: 'Switch to the newest definition of the agent',
      description: 'Takes effect with the next phase; the running phase ends with the definition it started with.',
    },
    'job_unreadable',
  )
  async upgrade(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: upgradeRequestSchema.prefault({}) }) { ifUnchangedSince }: UpgradeRequest,
  ): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const job = await this.repository.loadJob(jobId);
    if (!job) throw jobNotFound(jobId);
    const definition = toJobDefinition(await this.agents.resolve(job.definition.agent.name, job.submitted.tenant));
    return this.applyRequest(
      id,
      { action: 'change-definition', actor: order.actor, definition },
      { ...order, ifUnchangedSince },
    );
  }

  /** Makes a decision about a call that waits for a person. Plans say who may make it. */
  private async decide(
    id: string,
    http: FastifyRequest,
    request: PersonRequest,
    options: ControlOptions,
  ): Promise<ControlResponse> {
    const { actor, callId } = request;
    const amends = request.action === 'approve' && request.amended !== undefined;
    await this.planRules.check(jobIdOf(id), getCaller(http), { callId, actor, amends });
    return this.applyRequest(id, request, options);
  }

  private async applyRequest(id: string, request: ControlRequest, options: ControlOptions): Promise<ControlResponse> {
    const jobId = jobIdOf(id);
    const outcome = requireJobOutcome(jobId, await this.driver.control(jobId, request, options));
    if (outcome.kind === 'refused')
      throw new ApiProblem(outcome.code ?? 'request_refused', `Not done: ${outcome.reason}.`);
    const view = await this.views.get(jobId);
    if (!view) throw jobNotFound(jobId);
    return { jobId, changed: outcome.kind === 'recorded', status: toJobSummary(view).status };
  }
}
