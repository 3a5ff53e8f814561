import { isTimeZone, type JsonObject } from '@phaseline/basics';
import type { ProblemError, SubmitPlanRequest } from '@phaseline/client';
import { planRequestSchema } from '@phaseline/planning';
import type { Plans } from '@phaseline/projections';
import { invalidRequest, invalidValues } from '../problem/validation.pipe.js';

/** As many as a plan accepts. */
const MAX_APPROVED_PROPOSALS = 500;
const MAX_PATTERNS = 40;

/**
 * Builds the parameters of a planning job, with the patterns that people of the tenant have approved. Throws ApiProblem `invalid_request`, which
 * names each value that a plan cannot have.
 */
export async function buildPlanParameters(
  { tenant: _tenant, idempotencyKey: _key, ...request }: SubmitPlanRequest,
  { user, tenant, plans }: { readonly user: string; readonly tenant: string; readonly plans: Plans },
): Promise<JsonObject> {
  const parsed = planRequestSchema.safeParse(request);
  if (!parsed.success) throw invalidValues(parsed.error);
  const errors = findProblems(request);
  if (errors.length > 0) throw invalidRequest(errors);
  const approved = await plans.listApprovedPatterns(tenant, MAX_APPROVED_PROPOSALS);
  const definitions = approved.flatMap(({ definition }) => definition ?? []).slice(0, MAX_PATTERNS);
  return {
    // The body was parsed from JSON.
    ...(request as JsonObject),
    user,
    ...(approved.length > 0 ? { approvedProposals: approved.map(({ key }) => key) } : {}),
    ...(definitions.length > 0 ? { patterns: definitions } : {}),
  };
}

/** What the schema of a request cannot say. */
function findProblems({ zone, start, end }: SubmitPlanRequest): readonly ProblemError[] {
  return [
    ...(zone === undefined || isTimeZone(zone)
      ? []
      : [{ path: 'zone', message: 'expected the name of a time zone, such as Europe/Berlin' }]),
    ...(start === undefined || end === undefined || start <= end
      ? []
      : [{ path: 'end', message: `expected a day that is not before the start, ${start}` }]),
  ];
}
