import { z } from 'zod';
import { approvedPlanSchema } from './approved-plan.js';
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
  ApprovedPlan: approvedPlanSchema,
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

/** Returns one JSON Schema with all published types as definitions. Its root is the ApprovedPlan, the output of a planning job. */
export function buildPlanJsonSchema(): Record<string, unknown> {
  const names = Object.keys(publishedSchemas) as PublishedSchemaName[];
  const definitions = names.map((name) => {
    const { $schema: _draft, ...schema } = buildPublishedJsonSchema(name);
    return [name, schema] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The artifacts of a plan',
    $ref: '#/$defs/ApprovedPlan',
    $defs: Object.fromEntries(definitions),
  };
}
