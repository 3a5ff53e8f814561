import type { JsonValue } from '@phaseline/basics';
import { SeededRandom } from '@phaseline/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { generatePlan } from '../grammar/valid-plan.fixture.js';
import { readShippedPatterns } from '../patterns/shipped-patterns.fixture.js';
import { buildPublishedJsonSchema } from './artifact-json-schemas.js';
import { toSnakeCaseSchema } from './snake-case-schema.js';
import { toSnakeCase } from './snake-case.js';

it('a schema of the snake_case form accepts what the mapping makes, and refuses the camelCase form', () => {
  const { roadmap } = generatePlan(readShippedPatterns(), new SeededRandom(9));
  const schema = z.fromJSONSchema(
    toSnakeCaseSchema(buildPublishedJsonSchema('Roadmap')) as z.core.JSONSchema.JSONSchema,
  );
  expect(schema.safeParse(toSnakeCase(roadmap as JsonValue)).success).toBe(true);
  expect(schema.safeParse(roadmap).success).toBe(false);
});

it('keywords and values stay as they are', () => {
  expect(
    toSnakeCaseSchema({
      type: 'object',
      properties: { costDelta: { type: 'string', maxLength: 3, enum: ['oneValue'] }, minItems: { type: 'number' } },
      required: ['costDelta'],
      anyOf: [{ properties: { aB: {} } }],
      additionalProperties: false,
    }),
  ).toEqual({
    type: 'object',
    properties: { cost_delta: { type: 'string', maxLength: 3, enum: ['oneValue'] }, min_items: { type: 'number' } },
    required: ['cost_delta'],
    anyOf: [{ properties: { a_b: {} } }],
    additionalProperties: false,
  });
});
