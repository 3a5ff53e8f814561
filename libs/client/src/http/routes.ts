import type { JobId } from '@phaseline/contracts';
import type { ScheduleFormat } from '../plan/plan.js';
import { InvalidRequest } from './client-errors.js';

/**
 * Paths of the API relative to its base URL. Ids and file paths are escaped. A part that cannot be used in a URL throws
 * InvalidRequest.
 */
export const routes = {
  jobs: () => '/v1/jobs',
  jobFacets: () => '/v1/jobs/facets',
  jobsBulk: () => '/v1/jobs/bulk',
  job: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}`,
  jobEvents: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/events`,
  jobEventRows: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/events/rows`,
  jobEventIndex: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/events/index`,
  jobTimeline: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/timeline`,
  jobWorkflow: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/workflow`,
  live: () => '/v1/live',
  jobState: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/state`,
  jobFiles: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/files`,
  jobFile: (jobId: JobId, path: string) =>
    `/v1/jobs/${escapePart(jobId)}/files/${path.split('/').map(escapePart).join('/')}`,
  jobCancel: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/cancel`,
  jobControl: (jobId: JobId, action: string) => `/v1/jobs/${escapePart(jobId)}/${escapePart(action)}`,
  jobRepository: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/repository`,
  jobPatch: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/repository/patch`,
  jobOutputs: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/repository/outputs`,
  jobErase: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/erase`,
  jobExport: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/export`,
  jobHold: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/hold`,
  jobModelCalls: (jobId: JobId, phase: number) => `/v1/jobs/${escapePart(jobId)}/phases/${phase}/steps`,
  jobPrompt: (jobId: JobId, phase: number, step: number) =>
    `/v1/jobs/${escapePart(jobId)}/phases/${phase}/steps/${step}/prompt`,
  jobClaims: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/claims`,
  agents: () => '/v1/agents',
  agent: (name: string) => `/v1/agents/${encodeURIComponent(name)}`,
  agentValidation: () => '/v1/agents/validate',
  jobFollowOns: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/follow-ons`,
  jobExplanation: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/explain`,
  jobFork: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/fork`,
  jobDiff: (jobId: JobId) => `/v1/jobs/${escapePart(jobId)}/diff`,
  jobComparison: (jobId: JobId, other: JobId) => `/v1/jobs/${escapePart(jobId)}/compare/${escapePart(other)}`,
  jobGuardOverride: (jobId: JobId, guard: string) =>
    `/v1/jobs/${escapePart(jobId)}/guards/${escapePart(guard)}/override`,
  jobGuardRevocation: (jobId: JobId, guard: string) =>
    `/v1/jobs/${escapePart(jobId)}/guards/${escapePart(guard)}/revoke`,
  guards: () => '/v1/guards',
  guard: (name: string) => `/v1/guards/${escapePart(name)}`,
  guardBacktests: (name: string) => `/v1/guards/${escapePart(name)}/backtests`,
  whatIf: (kind: 'backtests' | 'bills' | 'release-checks') => `/v1/what-if/${kind}`,
  guardPromotion: (name: string) => `/v1/guards/${escapePart(name)}/promote`,
  guardRollback: (name: string) => `/v1/guards/${escapePart(name)}/rollback`,
  inbox: () => '/v1/inbox',
  plans: () => '/v1/plans',
  plan: (planId: JobId) => `/v1/plans/${escapePart(planId)}`,
  planReply: (planId: JobId) => `/v1/plans/${escapePart(planId)}/reply`,
  planSchedule: (planId: JobId, format: ScheduleFormat) => `/v1/plans/${escapePart(planId)}/schedule.${format}`,
  planRuns: (planId: JobId) => `/v1/plans/${escapePart(planId)}/runs`,
  planRun: (runId: JobId) => `/v1/plan-runs/${escapePart(runId)}`,
  planTrace: (planId: JobId) => `/v1/plans/${escapePart(planId)}/trace`,
  learningTraces: () => '/v1/learning/traces',
  learningTrace: (id: string) => `/v1/learning/traces/${escapePart(id)}`,
  learningTracePromotions: (id: string) => `/v1/learning/traces/${escapePart(id)}/promotions`,
  learningTraceWithdrawals: (id: string) => `/v1/learning/traces/${escapePart(id)}/withdrawals`,
  learningReport: () => '/v1/learning/report',
  learningPatterns: () => '/v1/learning/patterns',
  learningPatternGuard: (id: string) => `/v1/learning/patterns/${escapePart(id)}/guard`,
  learningPatternProposals: (id: string) => `/v1/learning/patterns/${escapePart(id)}/proposals`,
  calibration: () => '/v1/learning/calibration',
  preferences: () => '/v1/me/preferences',
  holds: () => '/v1/holds',
  tenants: () => '/v1/tenants',
  tenant: (tenant: string) => `/v1/tenants/${escapePart(tenant)}`,
  tenantRetention: (tenant: string) => `/v1/tenants/${escapePart(tenant)}/retention`,
  retention: () => '/v1/retention',
  retentionRuns: () => '/v1/retention/runs',
  retentionRun: (runId: string) => `/v1/retention/runs/${escapePart(runId)}`,
  retentionRunJobs: (runId: string) => `/v1/retention/runs/${escapePart(runId)}/jobs`,
  principals: () => '/v1/principals',
  principal: (id: string) => `/v1/principals/${escapePart(id)}`,
  principalChange: (id: string, action: string) => `/v1/principals/${escapePart(id)}/${escapePart(action)}`,
  keys: () => '/v1/keys',
  key: (prefix: string) => `/v1/keys/${escapePart(prefix)}`,
  whoAmI: () => '/v1/whoami',
  loginLinks: () => '/v1/login-links',
  secrets: () => '/v1/secrets',
  secret: (name: string) => `/v1/secrets/${escapePart(name)}`,
  phases: () => '/v1/phases',
  toolCalls: () => '/v1/tool-calls',
  costs: () => '/v1/costs',
  queueHistory: () => '/v1/queue-history',
  processes: () => '/v1/processes',
  queues: () => '/v1/queues',
  alerts: () => '/v1/alerts',
  auditAnchors: () => '/v1/audit/anchors',
  auditVerifications: () => '/v1/audit/verifications',
  auditVerification: (id: string) => `/v1/audit/verifications/${escapePart(id)}`,
  auditActions: () => '/v1/audit/actions',
  deadLetters: () => '/v1/dead-letters',
  deadLetter: (id: string) => `/v1/dead-letters/${escapePart(id)}`,
  deadLetterRetry: (id: string) => `/v1/dead-letters/${escapePart(id)}/retry`,
  deadLetterDiscard: (id: string) => `/v1/dead-letters/${escapePart(id)}/discard`,
} as const;

/** Escapes a part of a path. `.` and `..` are rejected: they would be resolved even if escaped, and select another route. */
function escapePart(text: string): string {
  if (text === '' || text === '.' || text === '..') {
    const message = `${JSON.stringify(text)} cannot be an id, a name or part of a file path`;
    throw new InvalidRequest({ code: 'invalid_request', message, errors: [{ path: '', message }] }, 400);
  }
  return encodeURIComponent(text);
}

export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** How long the caller waits for the response, in milliseconds from sending. */
export const CALLER_TIMEOUT_HEADER = 'phaseline-caller-timeout-ms';
/** `true` on a submission requests an encrypted job. It is a header because it must be known before the documents of a form arrive. */
export const ENCRYPT_HEADER = 'phaseline-encrypt';
export const LAST_EVENT_ID_HEADER = 'last-event-id';
/** `Authorization: Bearer <api key>`. */
export const AUTHORIZATION_SCHEME = 'Bearer';
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream';
