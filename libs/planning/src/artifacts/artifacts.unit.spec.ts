import { fileURLToPath } from 'node:url';
import { SeededRandom } from '@phaseline/testing';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { generatePlan, hashText } from '../grammar/valid-plan.fixture.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import {
  buildPlanJsonSchema,
  buildPublishedJsonSchema,
  publishedSchemas,
  type PublishedSchemaName,
} from './artifact-json-schemas.js';
import { computeContentHash } from './content-hash.js';
import { patternSpecSchema } from './pattern-spec.js';
import { planContextSchema } from './plan-context.js';
import { planOutlineSchema } from './plan-outline.js';
import { upcastRoadmapContext } from './roadmap-context.js';
import { roadmapSchema } from './roadmap.js';
import { scheduleSchema } from './schedule.js';

const plan = generatePlan(readShippedPatterns(), new SeededRandom(5));
const names = Object.keys(publishedSchemas) as PublishedSchemaName[];

type Schema = { readonly [key: string]: unknown };

/** Paths of lists and texts without a maximum in a JSON Schema. */
function listUnbounded(schema: Schema, path = ''): readonly string[] {
  const inner = Object.entries(schema).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null ? listUnbounded(value as Schema, `${path}/${key}`) : [],
  );
  const isFixed = ['enum', 'const', 'format', 'pattern'].some((key) => key in schema);
  if (schema['type'] === 'array' && !('maxItems' in schema)) return [path, ...inner];
  return schema['type'] === 'string' && !isFixed && !('maxLength' in schema) ? [path, ...inner] : inner;
}

describe('the schemas of artifacts', () => {
  it('match docs/reference/plan.schema.json', async () => {
    // To update it: npx vitest run libs/planning/src/artifacts -u
    await expect(`${JSON.stringify(buildPlanJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
      fileURLToPath(new URL('../../../../docs/reference/plan.schema.json', import.meta.url)),
    );
  });

  it.each<[string, z.ZodType, object]>([
    ['context', planContextSchema, plan.context],
    ['outline', planOutlineSchema, plan.outline],
    ['roadmap', roadmapSchema, plan.roadmap],
    ['schedule', scheduleSchema, plan.schedule],
  ])('accept a %s as it is, and refuse unknown fields', (_name, schema, artifact) => {
    expect(schema.parse(artifact)).toEqual(artifact);
    expect(schema.safeParse({ ...artifact, unknownField: 1 }).success).toBe(false);
  });

  it.each(names)('%s becomes a JSON Schema in which every list and text has a maximum', (name) => {
    const schema = buildPublishedJsonSchema(name);
    expect(schema['title']).toBe(name);
    expect(schema['additionalProperties']).toBe(false);
    expect(listUnbounded(schema)).toEqual([]);
  });

  it('refuse texts that show nothing', () => {
    expect(planContextSchema.safeParse({ ...plan.context, goal: ' \u200b' }).success).toBe(false);
  });
});

describe('PatternSpec', () => {
  const proposal = { patternType: 'recurring_cycle', subtype: 'proposed:new_one', introducedBy: 'ai_adaptation' };

  it.each<[string, object, boolean]>([
    ['a proposal with source', { ...proposal, sourcePattern: 'recurring_cycle' }, true],
    ['a proposal without source', proposal, false],
    [
      'a top-level proposal without rfc',
      { ...proposal, patternType: 'proposed:x', sourcePattern: 'recurring_cycle' },
      false,
    ],
    ['an unknown pattern', { ...proposal, patternType: 'waterfall', sourcePattern: 'recurring_cycle' }, false],
  ])('%s', (_name, value, isValid) => {
    expect(patternSpecSchema.safeParse(value).success).toBe(isValid);
  });
});

describe('RoadmapContext', () => {
  const outlineHash = 'a'.repeat(64);
  const pattern = { patternType: 'milestone_project', introducedBy: 'system' } as const;

  it('is read in the old and in the current shape', () => {
    const old = upcastRoadmapContext({ outlineHash, patternType: 'milestone_project' });
    expect(old).toEqual({ outlineHash, pattern, patternType: 'milestone_project' });
    expect(upcastRoadmapContext(old)).toEqual(old);
    expect(upcastRoadmapContext({ outlineHash, pattern })).toEqual({ outlineHash, pattern });
  });

  it('is refused if the deprecated field differs from the pattern', () => {
    expect(() => upcastRoadmapContext({ outlineHash, pattern, patternType: 'recurring_cycle' })).toThrow('differs');
  });

  it('describes the deprecated field as such', () => {
    const properties = buildPublishedJsonSchema('RoadmapContext')['properties'] as Record<string, Schema>;
    expect(properties['patternType']).toMatchObject({ deprecated: true });
    expect(properties['patternType']!['description']).toContain('Deprecated');
  });
});

describe('a content hash', () => {
  it('does not depend on the order of fields, and changes with every value', () => {
    const reversed = Object.fromEntries(Object.entries(plan.roadmap).toReversed());
    expect(computeContentHash(reversed, hashText)).toBe(plan.roadmapHash);
    expect(computeContentHash({ ...plan.roadmap, phases: [] }, hashText)).not.toBe(plan.roadmapHash);
  });

  it('links each artifact to the one from which it was made', () => {
    expect(plan.outline.contextHash).toBe(computeContentHash(plan.context, hashText));
    expect(plan.roadmap.outlineHash).toBe(computeContentHash(plan.outline, hashText));
    expect(plan.schedule.roadmapHash).toBe(computeContentHash(plan.roadmap, hashText));
  });
});
