import type { JsonObject } from '@phaseline/basics';
import { planRequestSchema } from '@phaseline/planning';
import { UsageError } from '../command/command-errors.js';

/** Options of `phaseline plan` that are part of the request. The sliders hold for this session only. */
export interface PlanRequestOptions {
  readonly user?: string;
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
}

/** Builds the request of a plan from options. Throws UsageError for values that no plan can have. */
export function buildPlanRequest(goal: string, options: PlanRequestOptions): JsonObject {
  const { user, zone = Intl.DateTimeFormat().resolvedOptions().timeZone, start, end } = options;
  const policy = dropUndefined({
    conversationStyle: options.style,
    talkativeness: options.talkativeness,
    autonomy: options.autonomy,
    brainstormingPreference: options.brainstorming,
    approvalPolicy: options.approvals,
    probingDepth: options.questions,
    tone: options.tone,
  });
  const request = dropUndefined({ goal: goal.trim(), user, zone, start, end, policy });
  const parsed = planRequestSchema.safeParse(request);
  if (parsed.success) return request;
  const [{ path, message }] = parsed.error.issues as [(typeof parsed.error.issues)[number]];
  throw new UsageError(`${path.join('.')}: ${message}`);
}

function dropUndefined(values: Readonly<Record<string, JsonObject[string] | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, JsonObject[string]] => entry[1] !== undefined),
  );
}
