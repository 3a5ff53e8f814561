import { InvalidRequest } from './client-errors.js';

/**
 * The paths of the API below its base URL, as clients ask for them. Ids and file paths are escaped; a part that a URL cannot
 * carry throws InvalidRequest.
 */
export const routes = {
  jobs: () => '/v1/jobs',
  job: (jobId: string) => `/v1/jobs/${part(jobId)}`,
  jobEvents: (jobId: string) => `/v1/jobs/${part(jobId)}/events`,
  jobState: (jobId: string) => `/v1/jobs/${part(jobId)}/state`,
  jobFiles: (jobId: string) => `/v1/jobs/${part(jobId)}/files`,
  jobFile: (jobId: string, path: string) => `/v1/jobs/${part(jobId)}/files/${path.split('/').map(part).join('/')}`,
  jobCancel: (jobId: string) => `/v1/jobs/${part(jobId)}/cancel`,
  jobControl: (jobId: string, action: string) => `/v1/jobs/${part(jobId)}/${part(action)}`,
  jobErase: (jobId: string) => `/v1/jobs/${part(jobId)}/erase`,
  jobFork: (jobId: string) => `/v1/jobs/${part(jobId)}/fork`,
  jobDiff: (jobId: string) => `/v1/jobs/${part(jobId)}/diff`,
  jobComparison: (jobId: string, other: string) => `/v1/jobs/${part(jobId)}/compare/${part(other)}`,
  tenants: () => '/v1/tenants',
  tenant: (tenant: string) => `/v1/tenants/${part(tenant)}`,
  phases: () => '/v1/phases',
  toolCalls: () => '/v1/tool-calls',
  costs: () => '/v1/costs',
  queueHistory: () => '/v1/queue-history',
  queues: () => '/v1/queues',
  deadLetters: () => '/v1/dead-letters',
  deadLetterRetry: (id: string) => `/v1/dead-letters/${part(id)}/retry`,
  deadLetterDiscard: (id: string) => `/v1/dead-letters/${part(id)}/discard`,
} as const;

/** `.` and `..` would be resolved before they are sent, escaped or not, and end up at another route. */
function part(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    const message = `${JSON.stringify(text)} cannot be an id, a name or part of a file path`;
    throw new InvalidRequest({ code: 'invalid_request', message, details: [{ path: '', message }] }, 400);
  }
  return encodeURIComponent(text);
}

/** Header names and the like that both sides must agree on. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** How long the caller waits for the answer, in milliseconds from sending. */
export const CALLER_WAITS_HEADER = 'phaseline-waits-ms';
/** `true` on a submission: the job is encrypted. A form needs it in front of its documents, and headers come first. */
export const ENCRYPT_HEADER = 'phaseline-encrypt';
export const LAST_EVENT_ID_HEADER = 'last-event-id';
/** `Authorization: Bearer <api key>`. */
export const AUTHORIZATION_SCHEME = 'Bearer';
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';
