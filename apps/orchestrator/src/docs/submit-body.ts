import { SUBMIT_FORM } from '@phaseline/client';

/** Where the OpenAPI document describes the body of a submission. */
export const SUBMIT_REQUEST_REF = '#/components/schemas/SubmitRequest';

const asJson = 'As JSON; the same as in "request", and it wins over that.';

/** What a form may hold: any number of files, and the rest of the request whole or by field. */
export const submitFormSchema = {
  type: 'object' as const,
  properties: {
    [SUBMIT_FORM.request]: { type: 'string', description: 'The JSON of a SubmitRequest.' },
    [SUBMIT_FORM.file]: {
      type: 'array',
      items: { type: 'string', format: 'binary' },
      description: 'Documents, byte for byte; their file names are the names of the documents.',
    },
    agent: { type: 'string' },
    instructions: { type: 'string' },
    idempotencyKey: { type: 'string' },
    tenant: { type: 'string' },
    budgets: { type: 'string', description: asJson },
    parameters: { type: 'string', description: asJson },
    labels: { type: 'string', description: asJson },
    priority: { type: 'string', description: asJson },
    encrypt: { type: 'string', description: '"true" or "false"; before the first file, or as the header.' },
  },
};
