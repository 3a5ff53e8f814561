import { describe, expect, it } from 'vitest';
import { BadFormField, submitRequestFromForm } from './submit-form.js';

describe('the fields of a form', () => {
  it('may be the whole request as JSON', () => {
    expect(submitRequestFromForm({ request: '{"agent":"creator","priority":3}' })).toEqual({
      agent: 'creator',
      priority: 3,
    });
  });

  it('may be one a key, as curl sends them, and win over the whole', () => {
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

  it('name the field that is wrong', () => {
    expect(() => submitRequestFromForm({ budgets: '{' })).toThrow(new BadFormField('budgets', 'expected JSON'));
    expect(() => submitRequestFromForm({ request: '[]' })).toThrow(/form field "request": expected a JSON object/);
    expect(() => submitRequestFromForm({ agnt: 'creator' })).toThrow(
      /form field "agnt": unknown; known are request, files, agent/,
    );
  });
});
