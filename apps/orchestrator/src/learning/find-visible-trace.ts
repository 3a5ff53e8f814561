import type { EventId } from '@phaseline/contracts';
import { listTenantsWithRight, type Caller, type Right } from '@phaseline/identity';
import { LearningTraces } from '@phaseline/learning';
import type { Pool } from 'pg';
import { z } from 'zod';
import { ApiProblem } from '../problem/api-problem.js';

/** Finds a learning trace in the tenants in which the caller has a right. Throws ApiProblem, the same for one of another tenant and for none. */
export async function findVisibleTrace(
  pool: Pool,
  caller: Caller,
  right: Right,
  id: string,
): Promise<NonNullable<Awaited<ReturnType<LearningTraces['find']>>>> {
  const tenants = listTenantsWithRight(caller, right);
  const { success, data } = z.uuid().safeParse(id);
  const trace = success ? await new LearningTraces(pool).find({ tenants }, data as EventId) : undefined;
  if (!trace) throw new ApiProblem('trace_not_found', `There is no learning trace ${id}.`);
  return trace;
}
