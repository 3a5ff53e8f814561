import { isTimeZone, type JsonObject } from '@phaseline/basics';
import type { ProblemError, SubmitPlanRequest } from '@phaseline/client';
import { planningSettingsSchema } from '@phaseline/contracts';
import type { AgentDefinition } from '@phaseline/domain';
import type { PreferenceStore } from '@phaseline/identity';
import { mergePreferences, planRequestSchema, readPreferences } from '@phaseline/planning';
import type { Plans } from '@phaseline/projections';
import { invalidRequest, invalidValues } from '../problem/validation.pipe.js';
import { findRaisedLimits } from './plan-limits.js';

/** As many as a plan accepts. */
const MAX_APPROVED_PROPOSALS = 500;
const MAX_PATTERNS = 40;

interface PlanOwner {
  readonly user: string;
  readonly tenant: string;
  /** Whether the plan starts from an approved one, whose times count more than lasting ones. */
  readonly isContinued: boolean;
}

/** Parameters of a planning job: as the caller sent them, and with what the system adds. */
interface PlanParameters {
  readonly sentParameters: JsonObject;
  readonly parameters: JsonObject;
}

/**
 * Builds the parameters of a planning job, with the lasting preferences of its person and the patterns that people of the tenant have approved.
 * Throws ApiProblem `invalid_request`, which names each value that a plan cannot have.
 */
export async function buildPlanParameters(
  { tenant: _tenant, idempotencyKey: _key, limits = {}, ...given }: SubmitPlanRequest,
  { user, tenant, isContinued }: PlanOwner,
  {
    plans,
    preferences,
    agent,
  }: { readonly plans: Plans; readonly preferences: PreferenceStore; readonly agent: AgentDefinition },
): Promise<PlanParameters> {
  const parsed = planRequestSchema.safeParse(given);
  if (!parsed.success) throw invalidValues(parsed.error);
  const settings = planningSettingsSchema.parse(agent.settings?.planning ?? {});
  const errors = [...findProblems(given), ...findRaisedLimits(limits, agent, settings)];
  if (errors.length > 0) throw invalidRequest(errors);
  const { retryLimitPerStage } = limits;
  const request = { ...given, ...(retryLimitPerStage !== undefined && { retryLimitPerStage }) };
  const approved = await plans.listApprovedPatterns(tenant, MAX_APPROVED_PROPOSALS);
  const definitions = approved.flatMap(({ definition }) => definition ?? []).slice(0, MAX_PATTERNS);
  const { values, wasAsked } = await preferences.read({ user, tenant });
  const { preferences: sliders, ...times } = mergePreferences(readPreferences(values), parsed.data);
  const known = { ...(isContinued ? {} : times), ...(sliders && { preferences: sliders }) };
  // The body was parsed from JSON.
  const sentParameters = { ...(request as JsonObject), user };
  const parameters = {
    ...sentParameters,
    ...(known as JsonObject),
    ...(wasAsked ? { wasStyleAsked: true } : {}),
    ...(approved.length > 0 ? { approvedProposals: approved.map(({ key }) => key) } : {}),
    ...(definitions.length > 0 ? { patterns: definitions } : {}),
  };
  return { sentParameters, parameters };
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
