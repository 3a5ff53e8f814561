import { describe, expect, it } from 'vitest';
import { submitRequestSchema } from '../submit/submit-request.js';
import { problem, problemOfZodError, problemSchema } from './problem.js';

describe('a problem', () => {
  it('carries the status of its code, and reads back', () => {
    const body = problem('unknown_agent', 'There is no agent "creater". Did you mean "creator"?');
    expect(body).toEqual({
      code: 'unknown_agent',
      status: 422,
      message: 'There is no agent "creater". Did you mean "creator"?',
    });
    expect(problemSchema.parse(body)).toEqual(body);
  });

  it('names every value that a schema refused', () => {
    const { error } = submitRequestSchema.safeParse({ agent: '', documents: [{ name: '../x', content: '' }] });
    const body = problemOfZodError(error!);
    expect(body.message).toMatch(/^The request is not valid: agent: .*\(and 1 more, see "details"\)$/);
    expect(body.details?.map(({ path }) => path)).toEqual(['agent', 'documents.0.name']);
  });
});
