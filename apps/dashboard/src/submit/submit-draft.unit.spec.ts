import { IdempotencyConflict, InvalidRequest } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { placeRefusals } from './place-refusals.js';
import { buildRequest, checkDraft, parseLabels, type Agent, type SubmitDraft } from './submit-draft.js';

const EMPTY: SubmitDraft = {
  ...{ agent: 'reader', tenant: '', instructions: '', documents: [], parameters: {}, labels: '', priority: '' },
  ...{ maxCostUsd: '', maxTokens: '', maxPhases: '', maxMinutes: '', encrypt: false, idempotencyKey: '' },
};
const READER: Agent = {
  ...{ name: 'reader', displayName: 'Reader', description: '', workflow: 'w', deliverables: [], budgets: {}, hash: '' },
  requires: { documents: 1, instructions: true, parameters: ['region'] },
};

describe('a draft of a submission', () => {
  it('becomes a request without what was left empty', () => {
    expect(buildRequest(EMPTY)).toEqual({ request: { agent: 'reader' }, files: [] });
    const full: SubmitDraft = {
      ...{ ...EMPTY, tenant: ' acme ', instructions: 'Read.', maxCostUsd: '0.5', maxTokens: '1000', maxPhases: '3' },
      ...{
        maxMinutes: '1.5',
        labels: 'team=legal\n\nrun = 7',
        priority: '0',
        encrypt: true,
        idempotencyKey: 'order-7',
      },
      parameters: { region: 'EU', sections: '[1, 2]', empty: ' ' },
      documents: [{ id: 1, name: 'a.md', content: '# A' }],
    };
    expect(buildRequest(full)).toEqual({
      request: {
        ...{ agent: 'reader', tenant: 'acme', instructions: 'Read.', encrypt: true, idempotencyKey: 'order-7' },
        budgets: { maxCostUsd: 0.5, maxTokens: 1000, maxPhases: 3, maxWallTimeMs: 90_000 },
        parameters: { region: 'EU', sections: [1, 2] },
        labels: { team: 'legal', run: '7' },
        priority: 0,
      },
      files: [{ name: 'a.md', content: '# A' }],
    });
  });

  it('is checked for what the agent requires, and for numbers and labels', () => {
    expect(checkDraft(EMPTY, undefined)).toEqual({ agent: 'Choose an agent.' });
    expect(checkDraft({ ...EMPTY, maxCostUsd: 'x', priority: '101', labels: 'team' }, READER)).toEqual({
      instructions: 'Reader needs instructions.',
      documents: 'Reader needs at least 1 document.',
      'parameters.region': 'This value is needed.',
      maxCostUsd: 'Expected a number above 0.',
      priority: 'Expected a number from 0 to 100.',
      labels: 'Expected key=value, found “team”.',
    });
    expect(parseLabels('a=b=c').labels).toEqual({ a: 'b=c' });
  });
});

describe('a refusal', () => {
  const problem = (more: object) => ({
    type: '',
    title: '',
    status: 400,
    code: 'invalid_request',
    message: 'No.',
    ...more,
  });
  it('is shown at the fields that its paths name', () => {
    const errors = [
      { path: 'budgets.maxWallTimeMs', message: 'too long' },
      { path: 'documents.0.name', message: 'bad name' },
      { path: 'parameters.region.deep', message: 'unknown' },
      { path: 'labels', message: 'too many' },
      { path: '', message: 'odd' },
    ];
    expect(placeRefusals(new InvalidRequest(problem({ errors }) as never, 400))).toEqual({
      fields: {
        maxMinutes: 'budgets.maxWallTimeMs: too long',
        documents: 'documents.0.name: bad name',
        'parameters.region': 'parameters.region.deep: unknown',
        labels: 'too many',
      },
      rest: 'odd',
    });
  });

  it('without a path is shown at the field of its code, or above all fields', () => {
    const conflict = new IdempotencyConflict(problem({ code: 'idempotency_conflict' }) as never, 409);
    expect(placeRefusals(conflict)).toEqual({ fields: { idempotencyKey: 'No.' } });
    expect(placeRefusals(new Error('Broken.'))).toEqual({ fields: {}, rest: 'Broken.' });
  });
});
