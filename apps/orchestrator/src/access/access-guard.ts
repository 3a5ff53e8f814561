import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { JobId } from '@phaseline/contracts';
import { hasRight, hasRightSomewhere, type Caller, type Right } from '@phaseline/identity';
import { getCaller } from '@phaseline/service';
import type { FastifyRequest } from 'fastify';
import { jobIdOf } from '../jobs/job-id.js';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import { JobTenants } from './job-tenants.js';
import { Requires } from './requires.js';

/** Path parameters that name a job. */
const JOB_PARAMETERS = ['jobId', 'otherJobId'] as const;

/** Refuses a request whose caller lacks the right that its route declares, and every route that declares none. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tenants: JobTenants,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const required = this.reflector.getAllAndOverride(Requires, [context.getHandler(), context.getClass()]);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (required === undefined)
      throw new ApiProblem('forbidden', 'This route declares no right, so nobody may use it.');
    if (required === 'any-caller' || required === 'anyone') return true;
    const caller = getCaller(request);
    if (!hasRightSomewhere(caller, required)) throw rightMissing(caller, required);
    const params = request.params as Readonly<Record<string, string | undefined>>;
    for (const name of JOB_PARAMETERS)
      if (params[name] !== undefined) await this.requireJob(caller, required, params[name]);
    return true;
  }

  /** A job of a tenant whose jobs the caller may not see gets the same response as a job that does not exist. */
  private async requireJob(caller: Caller, required: Right, text: string): Promise<void> {
    const jobId = jobIdOf(text);
    requireJobRight(caller, required, jobId, await this.tenants.find(jobId));
  }
}

/** Throws the problem that the caller lacks a right in the tenant of a job, or that there is no such job for the caller. */
export function requireJobRight(caller: Caller, right: Right, jobId: JobId, tenant: string | undefined): void {
  if (tenant === undefined) throw jobNotFound(jobId);
  if (hasRight(caller, right, tenant)) return;
  if (!hasRight(caller, 'jobs:read', tenant)) throw jobNotFound(jobId);
  throw rightMissing(caller, right);
}

/** Throws the problem that the caller lacks a right in a tenant. */
export function requireRight(caller: Caller, right: Right, tenant: string): void {
  if (!hasRight(caller, right, tenant)) throw rightMissing(caller, right, tenant);
}

/** `tenant` is one that the request names or implies, so that the text reveals nothing. */
function rightMissing({ id, onBehalfOf }: Caller, right: Right, tenant?: string): ApiProblem {
  const who = onBehalfOf ? `${id} on behalf of ${onBehalfOf.id}` : id;
  const where = tenant === undefined ? 'this' : `the tenant ${tenant}`;
  return new ApiProblem(
    'forbidden',
    `${who} lacks the right ${right} for ${where}. An administrator can grant a role with it.`,
  );
}
