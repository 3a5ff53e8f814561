import { z } from 'zod';
import {
  contentHashSchema,
  daySchema,
  MAX_DEPENDENCIES,
  MAX_NODES,
  nodeIdSchema,
  sentencesSchema,
  titleSchema,
} from './fields.js';
import { patternSpecSchema } from './pattern-spec.js';

/** Which end of the predecessor (`from`) bounds which end of the successor (`to`): F finish, S start. */
export const dependencyKinds = ['FS', 'SS', 'FF', 'SF'] as const;
export type DependencyKind = (typeof dependencyKinds)[number];

/** Maximum lag: two years of minutes. */
const MAX_LAG = 2 * 366 * 24 * 60;

export const dependencySchema = z.strictObject({
  from: nodeIdSchema,
  to: nodeIdSchema,
  kind: z.enum(dependencyKinds),
  lag: z.strictObject({
    amount: z.int().min(-MAX_LAG).max(MAX_LAG).describe('Negative: a lead'),
    unit: z.enum(['minutes', 'hours', 'days']),
    time: z.enum(['working', 'elapsed']).describe('Whether closed time counts'),
  }),
});
export type Dependency = z.infer<typeof dependencySchema>;

/** An L1 node with everything below it. The order of the list is the order of the phases. */
const roadmapPhaseSchema = z.strictObject({
  node: nodeIdSchema,
  mayOverlap: z.boolean().describe('Whether it may begin before the phase before it in the list has ended'),
  milestones: z.array(z.strictObject({ node: nodeIdSchema, due: daySchema.optional() })).max(MAX_NODES),
  tasks: z.array(nodeIdSchema).max(MAX_NODES).describe('L3 and L4 nodes, in order'),
});
export type RoadmapPhase = z.infer<typeof roadmapPhaseSchema>;

/** In which order a plan is carried out, and what depends on what. */
export const roadmapSchema = z
  .strictObject({
    outlineHash: contentHashSchema.describe('Outline from which the roadmap was made'),
    pattern: patternSpecSchema,
    phases: z.array(roadmapPhaseSchema).max(100),
    dependencies: z.array(dependencySchema).max(MAX_DEPENDENCIES),
    optionsTried: z
      .array(z.strictObject({ id: nodeIdSchema, title: titleSchema, reason: sentencesSchema }))
      .max(10)
      .describe('Options, each with the reason for or against it'),
    choice: z.strictObject({ option: nodeIdSchema, reason: sentencesSchema }),
  })
  .meta({ title: 'Roadmap' });
export type Roadmap = z.infer<typeof roadmapSchema>;
