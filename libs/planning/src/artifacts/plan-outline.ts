import { z } from 'zod';
import {
  contentHashSchema,
  daySchema,
  MAX_ESTIMATE_MINUTES,
  MAX_NODES,
  nameSchema,
  nodeIdSchema,
  recurrenceSchema,
  sentencesSchema,
  titleSchema,
} from './fields.js';
import { nodeLevels, nodeTimes } from './node-kind.js';
import { introducerSchema, patternSpecSchema } from './pattern-spec.js';

/** A quantity that grows, and the values that it is to reach. */
const measureSchema = z.strictObject({
  unit: titleSchema.describe('What is counted, such as kilometres or kilograms lost'),
  from: z.number().describe('Value at the start'),
  targets: z.array(z.strictObject({ value: z.number(), by: daySchema.optional() })).max(100),
});
export type Measure = z.infer<typeof measureSchema>;

/** A part of a plan. What is optional here may be required by the pattern. */
const outlineNodeSchema = z.strictObject({
  id: nodeIdSchema,
  parent: nodeIdSchema.nullable().describe('Node that contains this one; null for phases and cycles (L1)'),
  level: z.enum(nodeLevels),
  time: z.enum(nodeTimes),
  title: titleSchema,
  estimateMinutes: z.int().min(1).max(MAX_ESTIMATE_MINUTES).optional().describe('Work, per occurrence if recurring'),
  endCriterion: sentencesSchema.optional().describe('How a person recognises that the node is done'),
  origin: introducerSchema,
  recurrence: recurrenceSchema.optional().describe('Rule of RFC 5545; nodes below a recurring node share its rule'),
  exceptDays: z.array(daySchema).max(400).optional().describe('Days on which a recurring task is left out'),
  measure: measureSchema.optional().describe('Of a cumulative node; nodes below it count towards it'),
  agent: nameSchema.optional().describe('Agent that does the task when the plan is run'),
});
export type OutlineNode = z.infer<typeof outlineNodeSchema>;

/** What a plan consists of, as a tree. */
export const planOutlineSchema = z
  .strictObject({
    contextHash: contentHashSchema.describe('Context from which the outline was made'),
    pattern: patternSpecSchema,
    nodes: z.array(outlineNodeSchema).max(MAX_NODES),
  })
  .meta({ title: 'PlanOutline' });
export type PlanOutline = z.infer<typeof planOutlineSchema>;
