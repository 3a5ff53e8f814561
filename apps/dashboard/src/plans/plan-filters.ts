import { planningStatuses, type PlansQuery } from '@phaseline/client';

/** What the filters of the list contain: the texts of the address, so that a link leads to the same list. */
export interface PlanFilters {
  readonly status: string;
  readonly pattern: string;
}

/** The patterns that are shipped. A tenant may have others, which the list shows. */
export const shippedPatterns = [
  'milestone_project',
  'recurring_cycle',
  'progressive_accumulation_arc',
  'hybrid_project_cycle',
  'strategic_transformation',
] as const;

/** Reads the filters from the parameters of the address. */
export function readPlanFilters(params: URLSearchParams): PlanFilters {
  return { status: params.get('status') ?? '', pattern: params.get('pattern') ?? '' };
}

/** Builds the query of the API. A status that it does not know, from an address that was edited, is left out. */
export function toPlansQuery({ status, pattern }: PlanFilters): Pick<PlansQuery, 'planningStatus' | 'patternType'> {
  const planningStatus = planningStatuses.find((one) => one === status);
  return {
    ...(planningStatus === undefined ? {} : { planningStatus }),
    ...(pattern === '' ? {} : { patternType: pattern }),
  };
}
