import type { JobId } from '@phaseline/contracts';
import { Body, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { forkRequestSchema, forkResponseSchema, routes, type ForkRequest, type ForkResponse } from '@phaseline/client';
import { identifyKeyOwner } from '@phaseline/contracts';
import { budgetsSchema, editedResponseSchema, limitChangesSchema } from '@phaseline/domain';
import { listInstructions, toJobDefinition } from '@phaseline/orchestration';
import { ForkConflict, ForkInvalid, ForkRefused, Forks, type ForkOptions } from '@phaseline/time-travel';
import { JobViews } from '@phaseline/projections';
import { toActor } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobTenants } from '../access/job-tenants.js';
import { Requires } from '../access/requires.js';
import { AGENTS, type Agents } from '../agents/load-agents.js';
import { ApiProblems } from '../docs/api-problems.js';
import { jobIdOf } from '../jobs/job-id.js';
import { toJobSummary } from '../jobs/to-job-summary.js';
import { ApiProblem } from '../problem/api-problem.js';
import { invalidValues } from '../problem/validation.pipe.js';
import { JobHistory } from '../state/job-history.js';

@ApiTags('jobs')
@Controller('v1/jobs/:jobId/fork')
export class ForkController {
  constructor(
    private readonly forks: Forks,
    private readonly history: JobHistory,
    private readonly views: JobViews,
    @Inject(AGENTS) private readonly agents: Agents,
    private readonly tenants: JobTenants,
  ) {}

  @Post()
  @Requires('jobs:submit')
  @ApiOperation({
    operationId: 'forkJob',
    summary: 'Fork a job',
    description:
      'Creates a job that continues from an event of this one, with another model, agent, limits, or an edited response. ' +
      'The parent is not changed, and nothing of it is copied. Returns 201 with a new fork, or 200 with the one that the ' +
      'same idempotency key created before.',
  })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiCreatedResponse({ standardSchema: forkResponseSchema })
  @ApiOkResponse({ standardSchema: forkResponseSchema })
  @ApiProblems(
    'invalid_request',
    'job_not_found',
    'job_unreadable',
    'unknown_agent',
    'unknown_model',
    'idempotency_conflict',
    'request_refused',
  )
  async fork(
    @Param('jobId') id: string,
    @Body({ schema: forkRequestSchema }) request: ForkRequest,
    @Req() incoming: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ForkResponse> {
    const parentId = jobIdOf(id);
    const { position } = request;
    const actor = toActor(getCaller(incoming));
    const actorId = identifyKeyOwner(actor);
    const options = { ...(await this.options(parentId, request)), actorId };
    const forked = await this.forks.fork(parentId, options, { actor }).catch(problemOfFork);
    if (!forked) return this.history.throwNotFound(parentId, position);
    void reply.status(forked.created ? 201 : 200).header('location', routes.job(forked.jobId));
    const view = await this.views.get(forked.jobId);
    return { ...forked, status: view ? toJobSummary(view).status : 'submitted' };
  }

  private async options(parentId: JobId, request: ForkRequest): Promise<ForkOptions> {
    const { agent, limits, budgets, response, ...rest } = request;
    for (const model of Object.values(request.models ?? {})) if (model) await this.agents.checkModel(model);
    return {
      ...rest,
      ...(agent === undefined ? {} : await this.resolve(agent, (await this.tenants.find(parentId)) ?? 'default')),
      ...(limits ? { limits: parsedLimits(limits) } : {}),
      ...(budgets ? { budgets: budgetsSchema.parse(budgets) } : {}),
      ...(response ? { response: editedResponseSchema.parse(response) } : {}),
    };
  }

  private async resolve(name: string, tenant: string): Promise<Pick<ForkOptions, 'definition' | 'instructions'>> {
    const agent = await this.agents.resolve(name, tenant);
    return { definition: toJobDefinition(agent), instructions: listInstructions(agent) };
  }
}

function parsedLimits(limits: Readonly<Record<string, number>>): NonNullable<ForkOptions['limits']> {
  const parsed = limitChangesSchema.safeParse(limits);
  if (parsed.success) return parsed.data;
  throw invalidValues(parsed.error, 'limits');
}

function problemOfFork(error: unknown): never {
  if (error instanceof ForkRefused) throw new ApiProblem('request_refused', `Not done: ${error.message}`);
  if (error instanceof ForkInvalid) throw new ApiProblem('invalid_request', `Not done: ${error.message}`);
  if (error instanceof ForkConflict) throw new ApiProblem('idempotency_conflict', error.message);
  throw error;
}
