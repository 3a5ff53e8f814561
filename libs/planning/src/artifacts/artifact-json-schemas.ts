import { z } from 'zod';
import { interactionPolicySchema } from '../policy/interaction-policy.js';
import { adaptationLogEntrySchema } from './adaptation-log-entry.js';
import { patternSpecSchema } from './pattern-spec.js';
import { planContextSchema } from './plan-context.js';
import { planOutlineSchema } from './plan-outline.js';
import { roadmapContextSchema } from './roadmap-context.js';
import { roadmapSchema } from './roadmap.js';
import { scheduleSchema } from './schedule.js';
import { strategyProfileSchema } from './strategy-profile.js';

/** Schemas that are published, by the name of the type. */
export const publishedSchemas = {
  AdaptationLogEntry: adaptationLogEntrySchema,
  InteractionPolicy: interactionPolicySchema,
  PatternSpec: patternSpecSchema,
  PlanContext: planContextSchema,
  PlanOutline: planOutlineSchema,
  Roadmap: roadmapSchema,
  RoadmapContext: roadmapContextSchema,
  Schedule: scheduleSchema,
  StrategyProfile: strategyProfileSchema,
} as const;
export type PublishedSchemaName = keyof typeof publishedSchemas;

/** Returns the JSON Schema (draft 2020-12) of a published type, in its camelCase form. */
export function buildPublishedJsonSchema(name: PublishedSchemaName): Record<string, unknown> {
  // Members of AdaptationLogEntry hold any JSON value, which only a schema without keywords can describe.
  return z.toJSONSchema(publishedSchemas[name], { unrepresentable: 'any' });
}
