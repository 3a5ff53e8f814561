import { jsonValueSchema } from '@phaseline/basics';
import { z } from 'zod';
import { nameSchema, nodeIdSchema, sentencesSchema } from './fields.js';
import { introducerSchema } from './pattern-spec.js';

export const artifactKinds = ['context', 'outline', 'roadmap', 'schedule'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

/** Record of a structural change of a plan. */
export const adaptationLogEntrySchema = z
  .strictObject({
    artifact: z.enum(artifactKinds),
    node: nodeIdSchema.optional().describe('Node that changed, if it is only one'),
    what: sentencesSchema,
    why: sentencesSchema,
    introducedBy: introducerSchema,
    by: nameSchema.describe('Person, agent or tool that made the change'),
    before: jsonValueSchema.describe('Changed part before; null if it is new'),
    after: jsonValueSchema.describe('Changed part after; null if it was removed'),
  })
  .meta({ title: 'AdaptationLogEntry' });
export type AdaptationLogEntry = z.infer<typeof adaptationLogEntrySchema>;
