/**
 * Titles of the problems that every service may return. Codes, titles and shape are those of libs/client, which services do not
 * import; a spec of the orchestrator compares them.
 */
const titles = {
  invalid_request: 'The request is not valid',
  unauthorized: 'An API key is missing or unknown',
  forbidden: 'A right is missing',
  too_many_failures: 'Too many requests with a wrong API key',
  forbidden_host: 'This host name is not served',
  forbidden_origin: 'Pages of this origin may not call the service',
  route_not_found: 'There is no such route',
  not_ready: 'The server is not ready',
  internal: 'The server failed',
} as const;
export type ServiceProblemCode = keyof typeof titles;

export const PROBLEM_TYPE = 'application/problem+json';

/** Builds RFC 9457 problem details with a stable `code`. */
export function createProblemBody(code: ServiceProblemCode, status: number, detail: string): Record<string, unknown> {
  return { type: `urn:phaseline:problem:${code}`, title: titles[code], status, detail, code, message: detail };
}
