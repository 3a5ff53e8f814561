import { SUBMIT_FORM } from '@phaseline/client';

/** Reference to the body of a submission in the OpenAPI document. */
export const SUBMIT_REQUEST_REF = '#/components/schemas/SubmitRequest';

const asJson = 'As JSON; overrides the same field in "request".';

/** Schema of a submission as a form: files, and the rest of the request as one field or several. */
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
