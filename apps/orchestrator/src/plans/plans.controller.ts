import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { toCanonicalJson } from '@phaseline/basics';
import {
  planPageSchema,
  planReplyRequestSchema,
  planReplyResponseSchema,
  planSchema,
  plansQuerySchema,
  planTraceSchema,
  routes,
  submitPlanRequestSchema,
  submitPlanResponseSchema,
  type Plan,
  type PlanPage,
  type PlanReplyRequest,
  type PlanReplyResponse,
  type PlansQuery,
  type PlanTrace,
  type SubmitPlanRequest,
  type SubmitPlanResponse,
} from '@phaseline/client';
import { getActorName, identifyKeyOwner } from '@phaseline/contracts';
import { EventStore } from '@phaseline/event-store';
import { listTenantsWithRight, PreferenceStore, toActor } from '@phaseline/identity';
import type { JobDocument } from '@phaseline/orchestration';
import { type EarlierPlan, planPaths } from '@phaseline/planning';
import { Plans } from '@phaseline/projections';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireJobRight, requireRight } from '../access/access-guard.js';
import { chooseTenant, DEFAULT_TENANT } from '../access/choose-tenant.js';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { toDescribableQuery } from '../docs/query.js';
import { ApiControlHeaders, ControlHeadersParam, type ControlHeaders } from '../jobs/control-headers.js';
import { jobIdOf } from '../jobs/job-id.js';
import { Submissions } from '../jobs/submissions.js';
import { traceParentOf } from '../jobs/trace-parent.js';
import { toJobLimits } from './plan-limits.js';
import { PlanReader } from './plan-reader.js';
import { PlanReplies } from './plan-replies.js';
import { buildPlanParameters } from './submit-plan.js';
import { tracedTypes, tracePlan } from './trace-plan.js';

const PLANNER = 'planner';

/** Plans: jobs of the agent `planner`, from a goal to an approved schedule. */
@ApiTags('plans')
@Controller('v1/plans')
export class PlansController {
  constructor(
    private readonly plans: Plans,
    private readonly preferences: PreferenceStore,
    private readonly reader: PlanReader,
    private readonly replies: PlanReplies,
    private readonly submissions: Submissions,
    private readonly tenants: JobTenants,
    private readonly store: EventStore,
  ) {}

  @Post()
  @Requires('jobs:submit')
  @ApiOperation({
    operationId: 'submitPlan',
    summary: 'Make a plan for a goal',
    description:
      'Submits a job of the agent `planner`, with the lasting preferences of its person, and the patterns that people of the tenant have approved. ' +
      'If the person has an approved plan for `goalId` in the tenant, the new one starts from it, and `goal` says what is to be different.',
  })
  @ApiCreatedResponse({ standardSchema: submitPlanResponseSchema })
  @ApiOkResponse({ standardSchema: submitPlanResponseSchema })
  @ApiProblems('invalid_request', 'unknown_agent', 'idempotency_conflict', 'job_unreadable')
  async submit(
    @Body({ schema: submitPlanRequestSchema }) body: SubmitPlanRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SubmitPlanResponse> {
    const caller = getCaller(request);
    const tenant = chooseTenant(caller, 'jobs:submit', body.tenant);
    const actor = toActor(caller);
    const user = body.user ?? getActorName(actor);
    if (user !== getActorName(actor)) requireRight(caller, 'act:on-behalf-of', tenant);
    const { plans, preferences } = this;
    const { goalId, idempotencyKey } = body;
    const earlier = goalId === undefined ? undefined : await this.readEarlier({ tenant, user, goalId });
    const owner = { user, tenant, isContinued: earlier !== undefined };
    const { definition: agent } = await this.submissions.parts.agents.resolve(PLANNER, tenant);
    const parameters = await buildPlanParameters(body, owner, { plans, preferences, agent });
    const { jobId, created } = await this.submissions.submit(
      {
        ...{ agent: PLANNER, ...parameters, actorId: identifyKeyOwner(actor), idempotencyKey },
        // Checked above.
        mayActForOthers: true,
        ...toJobLimits(body.limits ?? {}),
        ...(earlier && { addedDocuments: [toDocument(earlier)] }),
        ...(tenant === DEFAULT_TENANT ? {} : { tenant }),
      },
      { actor, ...traceParentOf(request.headers['traceparent']) },
    );
    void reply.status(created ? 201 : 200).header('location', routes.plan(jobId));
    return { planId: jobId, created };
  }

  /** Reads the approved plan from which a session about a goal starts. What the caller sends names the goal only, never a plan. */
  private async readEarlier(owner: Parameters<Plans['findApproved']>[0]): Promise<EarlierPlan | undefined> {
    const planId = await this.plans.findApproved(owner);
    return planId === undefined ? undefined : this.reader.readEarlier(planId);
  }

  @Get()
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'listPlans', summary: 'List plans, newest first' })
  @ApiOkResponse({ standardSchema: planPageSchema })
  @ApiProblems('invalid_request')
  async list(
    @Query({ schema: toDescribableQuery(plansQuerySchema) }) query: PlansQuery,
    @Req() request: FastifyRequest,
  ): Promise<PlanPage> {
    const tenants = listTenantsWithRight(getCaller(request), 'jobs:read');
    const { open, ...filter } = query;
    // One more entry than requested shows whether there is a next page.
    const entries = await this.plans.list({ ...filter, isOpen: open === 'true', tenants, limit: query.limit + 1 });
    const page = entries.slice(0, query.limit);
    const last = page.at(-1);
    return {
      items: page.map(({ position: _position, ...item }) => item),
      ...(entries.length > query.limit && last ? { nextBefore: last.position } : {}),
    };
  }

  @Get(':jobId')
  @Requires('files:read')
  @ApiOperation({
    operationId: 'getPlan',
    summary: 'Get a plan: status, artifacts, violations, and what it waits for',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: planSchema })
  @ApiProblems('job_not_found', 'plan_not_found', 'job_unreadable', 'content_erased', 'file_removed')
  get(@Param('jobId') id: string): Promise<Plan> {
    return this.reader.read(jobIdOf(id));
  }

  @Get(':jobId/trace')
  @Requires('jobs:read')
  @ApiOperation({ operationId: 'tracePlan', summary: 'Every step of a plan, with its confidence and its cost' })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: planTraceSchema })
  @ApiProblems('job_not_found', 'plan_not_found', 'job_unreadable')
  async trace(@Param('jobId') id: string): Promise<PlanTrace> {
    const planId = jobIdOf(id);
    await this.reader.findUser(planId);
    const items = tracePlan(await this.store.readCorrelation(planId, { types: tracedTypes }));
    return { planId, costMicroUsd: items.reduce((sum, { costDelta }) => sum + costDelta, 0), items };
  }

  @Post(':jobId/reply')
  @Requires('questions:answer')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'replyToPlan',
    summary: 'Reply to a plan in words',
    description:
      'The answer to the question that the plan asks. If it waits for an approval, `approve` approves, and any other text says what to change. ' +
      'Only the person for whom the plan is made and callers with the right `plans:approve` may reply.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: planReplyResponseSchema })
  @ApiControlHeaders()
  @ApiProblems(
    ...(['invalid_request', 'job_not_found', 'plan_not_found', 'approval_outdated', 'not_waiting'] as const),
    ...(['already_decided', 'deadline_passed', 'version_mismatch', 'invalid_answer'] as const),
    ...(['request_refused', 'idempotency_conflict', 'not_ready'] as const),
  )
  async reply(
    @Param('jobId') id: string,
    @ControlHeadersParam() order: ControlHeaders,
    @Body({ schema: planReplyRequestSchema }) body: PlanReplyRequest,
    @Req() request: FastifyRequest,
  ): Promise<PlanReplyResponse> {
    const jobId = jobIdOf(id);
    if ((await this.reader.findUser(jobId)) !== order.actor)
      requireJobRight(getCaller(request), 'plans:approve', jobId, await this.tenants.find(jobId));
    return this.replies.reply(jobId, body, order);
  }
}

/** The document of a job whose session starts from an approved plan. */
function toDocument(earlier: EarlierPlan): JobDocument {
  const name = planPaths.earlier.replace(/^documents\//, '');
  return { name, content: Buffer.from(toCanonicalJson(earlier), 'utf8') };
}
