import { describe, expect, it } from 'vitest';
import { submitRequestSchema } from '@phaseline/contracts';
import type { z } from 'zod';
import { createProblem, describeInvalid, problemSchema, type Problem } from './problem.js';

/** The body for a request that a schema rejected, as the orchestrator builds it. */
function createProblemFrom(error: z.ZodError): Problem {
  const errors = error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  return createProblem('invalid_request', describeInvalid(errors), errors);
}

describe('a problem', () => {
  it('has the status of its code, and can be parsed', () => {
    const body = createProblem('unknown_agent', 'There is no agent "creater". Did you mean "creator"?');
    expect(body).toEqual({
      type: 'urn:phaseline:problem:unknown_agent',
      title: 'There is no such agent',
      status: 422,
      detail: 'There is no agent "creater". Did you mean "creator"?',
      code: 'unknown_agent',
      message: 'There is no agent "creater". Did you mean "creator"?',
    });
    expect(problemSchema.parse(body)).toEqual(body);
  });

  it('lists every value that a schema rejected', () => {
    const { error } = submitRequestSchema.safeParse({ agent: '', documents: [{ name: '../x', content: '' }] });
    const body = createProblemFrom(error!);
    expect(body.message).toMatch(/^The request is not valid: agent: .*\(and 1 more, see "errors"\)$/);
    expect(body.errors?.map(({ path }) => path)).toEqual(['agent', 'documents.0.name']);
  });

  it('stays short for many invalid values, and counts them', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, key) => [`a label with blanks ${key}`, 1]));
    const labels = Object.fromEntries(Array.from({ length: 30 }, (_, key) => [`no label ${key}`.repeat(500), 'v']));
    const { error } = submitRequestSchema.safeParse({ agent: 'writer', ...unknown, labels });
    const body = createProblemFrom(error!);
    expect(body.errors).toHaveLength(20);
    expect(body.omittedErrors).toBe(error!.issues.length - 20);
    expect(JSON.stringify(body).length).toBeLessThan(20_000);
  });

  it('is created for too many labels or parameters without validating each of them', () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`not a label ${key}`, 1]));
    const problems = (request: object): unknown[] =>
      submitRequestSchema.safeParse({ agent: 'writer', ...request }).error!.issues.map(({ message }) => message);
    expect(problems({ labels: many })).toEqual(['expected at most 32 labels']);
    expect(problems({ parameters: many })).toEqual([expect.stringContaining('at most 10000 values')]);
    expect(problems({ parameters: { list: Array.from({ length: 10_000 }, () => new Date()) } })).toEqual([
      expect.stringContaining('at most 10000 values'),
    ]);
    expect(problems({ parameters: { text: 'x'.repeat(300_000) } })).toEqual([
      expect.stringContaining('at most 262144 characters'),
    ]);
  });
});
