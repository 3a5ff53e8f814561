import { z } from 'zod';
import { contentHashSchema } from './fields.js';
import { patternSpecSchema, patternTypeSchema } from './pattern-spec.js';

const DEPRECATION = 'Deprecated, present for older readers: the source of truth is `pattern`';

/** What a roadmap is made from. */
export const roadmapContextSchema = z
  .strictObject({
    outlineHash: contentHashSchema,
    pattern: patternSpecSchema,
    patternType: patternTypeSchema.optional().meta({ description: DEPRECATION, deprecated: true }),
  })
  .refine(({ pattern, patternType }) => patternType === undefined || patternType === pattern.patternType, {
    message: 'differs from pattern.patternType',
    path: ['patternType'],
  })
  .meta({ title: 'RoadmapContext' });
export type RoadmapContext = z.infer<typeof roadmapContextSchema>;

/** The shape before `pattern` existed. */
const oldRoadmapContextSchema = z.strictObject({ outlineHash: contentHashSchema, patternType: patternTypeSchema });

/**
 * Reads a RoadmapContext of any version. The old shape has only `patternType`, which becomes the pattern, introduced by the system. A
 * value in the current shape is returned as it is. Throws a ZodError for anything else.
 */
export function upcastRoadmapContext(value: unknown): RoadmapContext {
  const old = oldRoadmapContextSchema.safeParse(value);
  if (!old.success) return roadmapContextSchema.parse(value);
  const { outlineHash, patternType } = old.data;
  return roadmapContextSchema.parse({ outlineHash, patternType, pattern: { patternType, introducedBy: 'system' } });
}
