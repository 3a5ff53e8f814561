import type { SubmitPlanRequest } from '@phaseline/client';
import { planRequestSchema } from '@phaseline/planning';
import { UsageError } from '../command/command-errors.js';

/** Options of `phaseline plan` that are part of the request. The sliders hold for this session only. */
export interface PlanRequestOptions {
  readonly user?: string;
  readonly goalId?: string;
  readonly tenant?: string;
  readonly zone?: string;
  readonly start?: string;
  readonly end?: string;
  readonly style?: string;
  readonly talkativeness?: number;
  readonly autonomy?: string;
  readonly brainstorming?: string;
  readonly approvals?: string;
  readonly questions?: number;
  readonly tone?: string;
  readonly turnLimit?: number;
  readonly retryLimitPerStage?: number;
  readonly wallTimeSec?: number;
  readonly budgetPerSessionUsd?: number;
  readonly softBudgetPerTurnUsd?: number;
  readonly dailyBudgetUsd?: number;
  readonly idempotencyKey?: string;
}

/** Builds the request of a plan from options. Throws UsageError for values that no plan can have. */
export function buildPlanRequest(goal: string, options: PlanRequestOptions): SubmitPlanRequest {
  const { user, goalId, tenant, start, end, idempotencyKey } = options;
  const zone = options.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const policy = dropUndefined({
    conversationStyle: options.style,
    talkativeness: options.talkativeness,
    autonomy: options.autonomy,
    brainstormingPreference: options.brainstorming,
    approvalPolicy: options.approvals,
    probingDepth: options.questions,
    tone: options.tone,
  });
  const planned = dropUndefined({ goal: goal.trim(), user, goalId, zone, start, end, policy });
  const parsed = planRequestSchema.safeParse(planned);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new UsageError(`${issue?.path.join('.') ?? 'request'}: ${issue?.message ?? 'is invalid'}`);
  }
  const { turnLimit, retryLimitPerStage, wallTimeSec, budgetPerSessionUsd, softBudgetPerTurnUsd, dailyBudgetUsd } =
    options;
  const limits = dropUndefined({
    ...{ turnLimit, retryLimitPerStage, wallTimeSec },
    ...{ budgetPerSessionUsd, softBudgetPerTurnUsd, dailyBudgetUsd },
  });
  const isLimited = Object.keys(limits).length > 0;
  return { ...planned, ...(isLimited && { limits }), ...dropUndefined({ tenant, idempotencyKey }) };
}

function dropUndefined<Values extends object>(
  values: Values,
): { [Name in keyof Values]: Exclude<Values[Name], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Values]: Exclude<Values[Name], undefined> };
}
