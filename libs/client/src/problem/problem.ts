import { z } from 'zod';
import { clip } from '@phaseline/basics';

/** HTTP status of each problem code of the API. Codes are stable; callers should branch on them, not on the status. */
export const problemStatus = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  job_not_found: 404,
  plan_not_found: 404,
  trace_not_found: 404,
  pattern_not_found: 404,
  file_not_found: 404,
  model_call_not_found: 404,
  dead_letter_not_found: 404,
  secret_not_found: 404,
  guard_not_found: 404,
  principal_not_found: 404,
  key_not_found: 404,
  run_not_found: 404,
  route_not_found: 404,
  idempotency_conflict: 409,
  principal_exists: 409,
  what_if_running: 409,
  principal_disabled: 409,
  identity_taken: 409,
  request_refused: 409,
  not_waiting: 409,
  already_decided: 409,
  deadline_passed: 409,
  version_mismatch: 409,
  approval_outdated: 409,
  plan_has_no_schedule: 409,
  plan_not_approved: 409,
  job_unreadable: 409,
  repository_unavailable: 409,
  content_erased: 410,
  file_removed: 410,
  file_changed: 412,
  preferences_changed: 412,
  request_too_large: 413,
  document_too_large: 413,
  unsupported_media_type: 415,
  unknown_agent: 422,
  unknown_model: 422,
  document_unusable: 422,
  verifier_invalid: 422,
  file_not_explainable: 422,
  inputs_missing: 422,
  invalid_answer: 422,
  invalid_arguments: 422,
  rate_limited: 429,
  too_many_failures: 429,
  file_damaged: 500,
  internal: 500,
  encryption_unavailable: 501,
  not_ready: 503,
} as const;
export type ProblemCode = keyof typeof problemStatus;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** Describes one invalid value of a request. */
export const problemErrorSchema = z
  .object({
    /** Path of the value: keys and indexes joined with dots, such as `documents.0.name`; empty for the whole request. */
    path: z.string(),
    message: z.string(),
  })
  .meta({ id: 'ProblemError' });
export type ProblemError = z.infer<typeof problemErrorSchema>;

/** The `title` of each code. It describes the kind of problem and is the same for every occurrence. */
export const problemTitle: Readonly<Record<ProblemCode, string>> = {
  invalid_request: 'The request is not valid',
  unauthorized: 'An API key is missing or unknown',
  forbidden: 'A right is missing',
  forbidden_host: 'This host name is not served',
  forbidden_origin: 'Pages of this origin may not call the service',
  job_not_found: 'There is no such job',
  plan_not_found: 'The job is no plan',
  trace_not_found: 'There is no such learning trace',
  pattern_not_found: 'There is no such pattern of mistakes',
  file_not_found: 'There is no such file',
  model_call_not_found: 'There is no such model call',
  dead_letter_not_found: 'There is no such dead letter',
  secret_not_found: 'There is no such secret',
  guard_not_found: 'There is no such guard',
  principal_not_found: 'There is no such principal',
  key_not_found: 'There is no such key',
  run_not_found: 'There is no such run',
  what_if_running: 'The server decides other jobs again',
  principal_exists: 'There is already such a principal',
  principal_disabled: 'The principal is disabled',
  identity_taken: 'The account is linked to another principal',
  route_not_found: 'There is no such route',
  idempotency_conflict: 'The idempotency key was used for another request',
  request_refused: 'The request is not possible now',
  not_waiting: 'Nothing of that kind waits for a person',
  already_decided: 'It was already decided',
  deadline_passed: 'The deadline has passed',
  plan_not_approved: 'The plan is not approved',
  approval_outdated: 'Something else waits for approval now',
  plan_has_no_schedule: 'The plan has no schedule yet',
  version_mismatch: 'It is not the version that was decided on',
  invalid_answer: 'The answer does not fit the question',
  invalid_arguments: 'The arguments do not fit the tool',
  job_unreadable: 'The job cannot be read',
  repository_unavailable: 'No tool-runner can work with repositories',
  content_erased: 'The content of the job was erased',
  file_removed: 'The content was removed by retention',
  file_changed: 'The file has other content now',
  preferences_changed: 'The preferences have changed',
  request_too_large: 'The request is too large',
  document_too_large: 'The document is too large',
  unsupported_media_type: 'The kind of body is not supported',
  unknown_agent: 'There is no such agent',
  unknown_model: 'There is no such model profile',
  inputs_missing: 'The agent needs inputs that are missing',
  file_damaged: 'The stored file is damaged',
  document_unusable: 'The document cannot be used',
  verifier_invalid: 'The verifier cannot be used',
  file_not_explainable: 'The lines of the file cannot be explained',
  rate_limited: 'Too many concurrent requests',
  too_many_failures: 'Too many requests with a wrong API key',
  internal: 'The server failed',
  encryption_unavailable: 'Encryption is not available',
  not_ready: 'The server is not ready',
};

/** Returns the `type` of a problem: a URN for its code, not an address. */
export function problemType(code: string): string {
  return `urn:phaseline:problem:${code}`;
}

/** Maximum number of listed values, and maximum length of each path, message and detail in characters. More values are counted; longer texts are cut. */
export const PROBLEM_LIMITS = { errors: 20, path: 200, message: 500, detail: 2_000 } as const;

/** Body of every error response: RFC 9457 problem details. */
export const problemSchema = z
  .object({
    /** Kind of problem: `urn:phaseline:problem:` followed by the code. */
    type: z.string().optional(),
    /** Kind of problem in words; the same for every occurrence of a code. */
    title: z.string().optional(),
    /** What is wrong with this request, and what to do next. */
    detail: z.string().optional(),
    /** One of the codes of `problemStatus`; newer servers may have more. */
    code: z.string(),
    /** Same as `detail`. */
    message: z.string(),
    status: z.int().optional(),
    /** The first invalid values. */
    errors: z.array(problemErrorSchema).optional(),
    /** Number of invalid values that `errors` does not list. */
    omittedErrors: z.int().positive().optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof problemSchema>;

/** Creates the body for a code. */
export function createProblem(code: ProblemCode, message: string, errors?: readonly ProblemError[]): Problem {
  const detail = clip(message, PROBLEM_LIMITS.detail);
  const listed = (errors ?? []).slice(0, PROBLEM_LIMITS.errors);
  const omitted = (errors?.length ?? 0) - listed.length;
  return {
    type: problemType(code),
    title: problemTitle[code],
    status: problemStatus[code],
    detail,
    code,
    message: detail,
    ...(listed.length > 0
      ? {
          errors: listed.map(({ path, message: text }) => ({
            path: clip(path, PROBLEM_LIMITS.path),
            message: clip(text, PROBLEM_LIMITS.message),
          })),
        }
      : {}),
    ...(omitted > 0 ? { omittedErrors: omitted } : {}),
  };
}

/** Creates the message for invalid values. It names the first one and the number of others. */
export function describeInvalid(errors: readonly ProblemError[]): string {
  const [first] = errors;
  const where = first && first.path !== '' ? `${clip(first.path, PROBLEM_LIMITS.path)}: ` : '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see "errors")` : '';
  return `The request is not valid: ${where}${clip(first?.message ?? 'unknown reason', PROBLEM_LIMITS.message)}${more}`;
}
