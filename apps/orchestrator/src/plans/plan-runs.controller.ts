import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import {
  planProgressSchema,
  routes,
  runPlanRequestSchema,
  runPlanResponseSchema,
  type Plan,
  type PlanProgress,
  type RunPlanRequest,
  type RunPlanResponse,
} from '@phaseline/client';
import { toCanonicalJson } from '@phaseline/basics';
import { identifyKeyOwner } from '@phaseline/contracts';
import { isEncryptedJob } from '@phaseline/domain';
import { toActor } from '@phaseline/identity';
import { approvedPlanSchema } from '@phaseline/planning';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireJobRight } from '../access/access-guard.js';
import { DEFAULT_TENANT } from '../access/choose-tenant.js';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { ApiProblems } from '../docs/api-problems.js';
import { jobIdOf } from '../jobs/job-id.js';
import { Submissions } from '../jobs/submissions.js';
import { traceParentOf } from '../jobs/trace-parent.js';
import { ApiProblem } from '../problem/api-problem.js';
import { PlanReader } from './plan-reader.js';

const PLAN_RUNNER = 'plan-runner';

/** Jobs of the agent `plan-runner`, which carry out approved plans. */
@ApiTags('plans')
@Controller('v1')
export class PlanRunsController {
  constructor(
    private readonly reader: PlanReader,
    private readonly submissions: Submissions,
    private readonly tenants: JobTenants,
  ) {}

  @Post('plans/:jobId/runs')
  @Requires('files:read')
  @ApiOperation({
    operationId: 'runPlan',
    summary: 'Carry out an approved plan',
    description:
      'Submits a job of the agent `plan-runner`: it begins each task at its time, after those on which it depends, and delegates those that name an agent.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiCreatedResponse({ standardSchema: runPlanResponseSchema })
  @ApiOkResponse({ standardSchema: runPlanResponseSchema })
  @ApiProblems(
    ...(['invalid_request', 'job_not_found', 'plan_not_found', 'plan_not_approved', 'approval_outdated'] as const),
    ...(['idempotency_conflict', 'job_unreadable', 'content_erased', 'file_removed', 'unknown_agent'] as const),
  )
  async run(
    @Param('jobId') id: string,
    @Body({ schema: runPlanRequestSchema }) body: RunPlanRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RunPlanResponse> {
    const planId = jobIdOf(id);
    const caller = getCaller(request);
    const tenant = await this.tenants.find(planId);
    requireJobRight(caller, 'jobs:submit', planId, tenant);
    const plan = await this.reader.read(planId);
    const contentHash = requireApproved(plan, body.contentHash);
    const actor = toActor(caller);
    const { people = 'confirm', clock, idempotencyKey } = body;
    const { jobId, created } = await this.submissions.submit(
      {
        ...{ agent: PLAN_RUNNER, actorId: identifyKeyOwner(actor), idempotencyKey },
        parameters: { planId, goalId: plan.goalId, contentHash, user: plan.user, people, ...(clock && { clock }) },
        // The person is that of the plan, which the caller may carry out.
        mayActForOthers: true,
        documents: [{ name: 'plan.json', content: writePlan(plan) }],
        ...(tenant === DEFAULT_TENANT ? {} : { tenant }),
        ...(isEncryptedJob(planId) ? { encrypt: true } : {}),
      },
      { actor, ...traceParentOf(request.headers['traceparent']) },
    );
    void reply.status(created ? 201 : 200).header('location', routes.planRun(jobId));
    return { runId: jobId, created };
  }

  @Get('plan-runs/:jobId')
  @Requires('files:read')
  @ApiOperation({ operationId: 'getPlanRun', summary: 'Get how far a plan is carried out, and what it waits for' })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ standardSchema: planProgressSchema })
  @ApiProblems('job_not_found', 'plan_not_found', 'job_unreadable', 'content_erased', 'file_removed')
  get(@Param('jobId') id: string): Promise<PlanProgress> {
    return this.reader.readRun(jobIdOf(id));
  }
}

/** Returns the hash of the approved schedule. Throws ApiProblem `plan_not_approved` and `approval_outdated`. */
function requireApproved({ planId, planningStatus, hashes }: Plan, meant: string | undefined): string {
  const found = hashes['schedule'];
  if (planningStatus !== 'complete' || found === undefined)
    throw new ApiProblem(
      'plan_not_approved',
      `Plan ${planId} is ${planningStatus}. Only an approved plan can be carried out.`,
    );
  if (meant === undefined || meant === found) return found;
  throw new ApiProblem(
    'approval_outdated',
    `Plan ${planId} has the schedule ${found}, not ${meant}. Read the plan, and try again.`,
  );
}

function writePlan({ context, outline, roadmap, schedule }: Plan): Uint8Array {
  return Buffer.from(toCanonicalJson(approvedPlanSchema.parse({ context, outline, roadmap, schedule })), 'utf8');
}
