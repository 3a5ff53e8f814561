import type { Guard } from '@phaseline/domain';
import type { JobRepository } from '@phaseline/repository';
import type { JobId } from '@phaseline/contracts';
import { ApiProblem, jobNotFound } from '../problem/api-problem.js';
import type { SharedGuards } from './shared-guards.js';

/** Parts with which the guards of a job are found. */
export interface GuardSources {
  readonly repository: JobRepository;
  readonly shared: SharedGuards;
}

/**
 * Finds the scope of a guard of a job: of the phase that runs, and of those that start later. Throws ApiProblem if there is no guard of this
 * name, or if guards of several scopes have it and none was chosen.
 */
export async function findScopeOfGuard(
  jobId: JobId,
  name: string,
  chosen: Guard['scope'] | undefined,
  { repository, shared }: GuardSources,
): Promise<Guard['scope']> {
  const job = await repository.loadJob(jobId);
  if (!job) throw jobNotFound(jobId);
  const phase = job.active && (await repository.loadPhase(jobId, job.active.phase));
  const guards = [
    ...(phase?.start.terms.guards ?? []),
    ...((job.nextDefinition ?? job.definition).agent.guards ?? []),
    ...(await shared.list(job.submitted.tenant)),
  ];
  const scopes = [...new Set(guards.filter((guard) => guard.name === name).map(({ scope }) => scope))];
  const [only] = chosen === undefined ? scopes : scopes.filter((scope) => scope === chosen);
  if (only === undefined) throw new ApiProblem('guard_not_found', describeMissing(name, chosen, guards));
  if (chosen === undefined && scopes.length > 1)
    throw new ApiProblem(
      'request_refused',
      `Not done: guards of several scopes have the name ${name}; choose one of: ${scopes.join(', ')}.`,
    );
  return only;
}

function describeMissing(name: string, scope: Guard['scope'] | undefined, guards: readonly Guard[]): string {
  const known = [...new Set(guards.toSorted(compareScopes).map((guard) => `${guard.name} (${guard.scope})`))];
  const where = scope === undefined ? '' : ` of the scope ${scope}`;
  const shown =
    known.length === 0 ? 'It has none.' : `It has: ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}.`;
  return `The job has no guard ${name}${where}. ${shown}`;
}

/** Guards of the agent first: there are few of them. */
function compareScopes(one: Guard, other: Guard): number {
  return one.scope.localeCompare(other.scope) || one.name.localeCompare(other.name);
}
