import { z } from 'zod';
import { sentencesSchema } from '../artifacts/fields.js';
import { nodeKinds, nodeKindSchema } from '../artifacts/node-kind.js';
import { canonicalPatternSchema, patternTypeSchema, subtypeSchema } from '../artifacts/pattern-spec.js';

/** Folder of an agent with its patterns, one file each; in its jobs, the folder of the same name has them as JSON. */
export const PATTERNS_DIRECTORY = 'patterns';

/** Maximum number of L1 nodes that a pattern can allow. A plan with more phases is several plans. */
const MAX_LEVEL1_NODES = 50;

const kindsSchema = z.array(nodeKindSchema).min(1).max(nodeKinds.length);

/** Kinds of nodes that a plan, or a node of a kind, may contain. */
const containsSchema = z.partialRecord(z.enum(['plan', ...nodeKinds]), kindsSchema);

const level1Schema = z.strictObject({
  min: z.int().min(1).max(MAX_LEVEL1_NODES),
  max: z.int().min(1).max(MAX_LEVEL1_NODES),
  mayOverlap: z.boolean().describe('Whether a phase may begin before the one before it has ended'),
});

const endsSchema = z.strictObject({
  criterion: kindsSchema.optional().describe('Kinds that have an end criterion'),
  recurrence: kindsSchema.optional().describe('Kinds that have a recurrence rule of their own'),
  target: kindsSchema.optional().describe('Kinds that have a measure of their own, whose last target ends them'),
});

const grammarFields = {
  contains: containsSchema.describe('What the plan, and each kind of node, may contain'),
  level1: level1Schema.describe('How many L1 nodes a plan has'),
  needs: kindsSchema.describe('Kinds of which a plan has at least one node'),
  ends: endsSchema.describe('What ends a plan'),
};

/** The rules of a pattern. */
export type PatternGrammar = z.infer<z.ZodObject<typeof grammarFields>>;

/** Features of a goal by which the nearest pattern is found. */
export const featureNames = ['endDate', 'recurrence', 'cumulativeMeasure', 'changeOfState'] as const;
export type FeatureName = (typeof featureNames)[number];

const expectationSchema = z.strictObject({
  expected: z.number().min(0).max(1).describe('Value in a goal that fits the pattern perfectly'),
  weight: z.number().min(0).max(100).describe('How much a different value counts against the pattern'),
});

const subtypeDefinitionSchema = z.strictObject({
  name: subtypeSchema,
  description: sentencesSchema,
  ...z.strictObject(grammarFields).partial().shape,
});
export type SubtypeDefinition = z.infer<typeof subtypeDefinitionSchema>;

/** A pattern as its author writes it: one file. */
export const patternDefinitionSchema = z
  .strictObject({
    pattern: patternTypeSchema,
    description: sentencesSchema,
    sourcePattern: canonicalPatternSchema.optional().describe('Canonical pattern that a proposal departs from'),
    ...grammarFields,
    features: z.strictObject({
      endDate: expectationSchema,
      recurrence: expectationSchema,
      cumulativeMeasure: expectationSchema,
      changeOfState: expectationSchema,
    }),
    subtypes: z.array(subtypeDefinitionSchema).max(100).describe('Variations that replace parts of the grammar'),
  })
  .meta({ title: 'PatternDefinition' });
export type PatternDefinition = z.infer<typeof patternDefinitionSchema>;
