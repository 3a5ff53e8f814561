import { describe, expect, it } from 'vitest';
import { InvalidFormField, submitRequestFromForm } from './submit-form.js';

describe('the fields of a form', () => {
  it('may contain the whole request as JSON', () => {
    expect(submitRequestFromForm({ request: '{"agent":"creator","priority":3}' })).toEqual({
      agent: 'creator',
      priority: 3,
    });
  });

  it('may be one per key, as curl sends them, and override the whole request', () => {
    const fields = {
      request: '{"agent":"creator","labels":{"a":"1"}}',
      agent: 'validator',
      instructions: 'Be quick.',
      labels: '{"b":"2"}',
      priority: '7',
    };
    expect(submitRequestFromForm(fields)).toEqual({
      agent: 'validator',
      instructions: 'Be quick.',
      labels: { b: '2' },
      priority: 7,
    });
  });

  it('are rejected with an error that names the invalid field', () => {
    expect(() => submitRequestFromForm({ budgets: '{' })).toThrow(new InvalidFormField('budgets', 'expected JSON'));
    expect(() => submitRequestFromForm({ request: '[]' })).toThrow(/form field "request": expected a JSON object/);
    expect(() => submitRequestFromForm({ agnt: 'creator' })).toThrow(
      /form field "agnt": unknown field; expected one of request, files, agent/,
    );
  });
});
