/** The parts of a `multipart/form-data` submission: any number of files, and the rest of the request either whole or by field. */
export const SUBMIT_FORM = {
  /** The JSON of a SubmitRequest. */
  request: 'request',
  /** A document; its file name is the document's name. May be repeated. */
  file: 'files',
} as const;

/** Fields that hold text; all others hold JSON. */
export const SUBMIT_FORM_TEXTS: readonly string[] = ['agent', 'instructions', 'idempotencyKey', 'tenant'];
const JSON_FIELDS = ['budgets', 'parameters', 'labels', 'priority', 'encrypt'];

/** A field of a multipart submission is unknown or does not hold the JSON that it should. */
export class BadFormField extends Error {
  override readonly name = 'BadFormField';
  readonly code = 'invalid_request';
  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`form field "${field}": ${problem}`);
  }
}

/**
 * The request that the fields of a form stand for; it still has to be parsed with `submitRequestSchema`. Fields of their own
 * (`agent`, `labels`, …) win over the same key in `request`, so that `curl -F agent=creator -F files=@spec.pdf` is enough.
 * Throws BadFormField.
 */
export function submitRequestFromForm(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  const whole = fields[SUBMIT_FORM.request];
  if (whole !== undefined) {
    const parsed = parseJson(SUBMIT_FORM.request, whole);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      throw new BadFormField(SUBMIT_FORM.request, 'expected a JSON object');
    Object.assign(request, parsed);
  }
  for (const [field, text] of Object.entries(fields)) {
    if (field === SUBMIT_FORM.request) continue;
    if (SUBMIT_FORM_TEXTS.includes(field)) request[field] = text;
    else if (JSON_FIELDS.includes(field)) request[field] = parseJson(field, text);
    else
      throw new BadFormField(
        field,
        `unknown; known are ${[SUBMIT_FORM.request, SUBMIT_FORM.file, ...SUBMIT_FORM_TEXTS, ...JSON_FIELDS].join(', ')}`,
      );
  }
  return request;
}

function parseJson(field: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadFormField(field, 'expected JSON');
  }
}
