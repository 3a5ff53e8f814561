import { z } from 'zod';

/** Every code that the API answers with, and its HTTP status. Codes are stable; callers branch on them, not on the status. */
export const problemStatus = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  job_not_found: 404,
  file_not_found: 404,
  dead_letter_not_found: 404,
  route_not_found: 404,
  idempotency_conflict: 409,
  request_refused: 409,
  content_erased: 410,
  request_too_large: 413,
  document_too_large: 413,
  unsupported_media_type: 415,
  unknown_agent: 422,
  unknown_model: 422,
  unusable_document: 422,
  inputs_missing: 422,
  rate_limited: 429,
  file_damaged: 500,
  internal: 500,
  encryption_unavailable: 501,
  not_ready: 503,
} as const;
export type ProblemCode = keyof typeof problemStatus;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** What is wrong with one value of a request. */
export const problemDetailSchema = z
  .object({
    /** Where: keys and indexes joined with dots, such as `documents.0.name`; empty for the whole. */
    path: z.string(),
    message: z.string(),
  })
  .meta({ id: 'ProblemDetail' });
export type ProblemDetail = z.infer<typeof problemDetailSchema>;

/** The body of every answer that is not a success, in the manner of RFC 9457. */
export const problemSchema = z
  .object({
    /** One of the codes of `problemStatus`; a newer server may know more. */
    code: z.string(),
    /** For people; says what to do next. */
    message: z.string(),
    status: z.int().optional(),
    details: z.array(problemDetailSchema).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** The body for a code. */
export function problem(code: ProblemCode, message: string, details?: readonly ProblemDetail[]): Problem {
  return {
    code,
    message,
    status: problemStatus[code],
    ...(details && details.length > 0 ? { details: [...details] } : {}),
  };
}

/** The body for a request that a schema refused. */
export function problemOfZodError(error: z.ZodError): Problem {
  const details = error.issues.map((issue) => ({ path: issue.path.map(String).join('.'), message: issue.message }));
  const first = details[0];
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  const more = details.length > 1 ? ` (and ${details.length - 1} more, see "details")` : '';
  return problem(
    'invalid_request',
    `The request is not valid: ${where}${first?.message ?? 'unknown reason'}${more}`,
    details,
  );
}
