/**
 * Parts of a `multipart/form-data` submission: any number of files, and the other members of the request as one JSON
 * part or as separate fields.
 */
export const SUBMIT_FORM = {
  /** A SubmitRequest as JSON. */
  request: 'request',
  /** A document, named by its file name. May be repeated. */
  file: 'files',
} as const;

/** Fields that contain text; all others contain JSON. */
export const SUBMIT_FORM_TEXT_FIELDS: readonly string[] = ['agent', 'instructions', 'idempotencyKey', 'tenant'];
const JSON_FIELDS = ['budgets', 'turns', 'dailyBudget', 'verifiers', 'parameters', 'labels', 'priority', 'encrypt'];

/** A field of a multipart submission is unknown or does not contain valid JSON. */
export class InvalidFormField extends Error {
  override readonly name = 'InvalidFormField';
  readonly code = 'invalid_request';
  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`form field "${field}": ${problem}`);
  }
}

/**
 * Builds the request from the fields of a form. The result must still be parsed with `submitRequestSchema`. Single fields (`agent`,
 * `labels`, …) override the same key in `request`, so `curl -F agent=creator -F files=@spec.pdf` is enough. Throws InvalidFormField.
 */
export function submitRequestFromForm(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  const whole = fields[SUBMIT_FORM.request];
  if (whole !== undefined) {
    const parsed = parseJson(SUBMIT_FORM.request, whole);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new InvalidFormField(SUBMIT_FORM.request, 'expected a JSON object');
    Object.assign(request, parsed);
  }
  for (const [field, text] of Object.entries(fields)) {
    if (field === SUBMIT_FORM.request) continue;
    if (SUBMIT_FORM_TEXT_FIELDS.includes(field)) request[field] = text;
    else if (JSON_FIELDS.includes(field)) request[field] = parseJson(field, text);
    else
      throw new InvalidFormField(
        field,
        `unknown field; expected one of ${[SUBMIT_FORM.request, SUBMIT_FORM.file, ...SUBMIT_FORM_TEXT_FIELDS, ...JSON_FIELDS].join(', ')}`,
      );
  }
  return request;
}

function parseJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidFormField(field, 'expected JSON');
  }
}
