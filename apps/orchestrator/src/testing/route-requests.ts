import { buildGuard } from './build-guard.js';
import type { OrchestratorForSpecs } from './orchestrator-for-specs.js';
import type { TenantThings } from './two-tenants.js';

/** A request to a route for the things of one tenant. */
export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Where a request names a tenant other than by a job. */
const tenantInQuery: readonly string[] = [
  'GET /v1/secrets',
  'DELETE /v1/secrets/:name',
  'GET /v1/guards/:name',
  ...['GET /v1/me/preferences', 'PUT /v1/me/preferences'],
];
const tenantInBody: readonly string[] = [
  ...['POST /v1/jobs', 'PUT /v1/secrets/:name', 'POST /v1/retention/runs', 'POST /v1/plans'],
  ...['POST /v1/guards', 'POST /v1/guards/:name/promote', 'POST /v1/guards/:name/rollback'],
  ...['POST /v1/guards/:name/backtests', 'POST /v1/what-if/backtests', 'POST /v1/what-if/bills'],
  'POST /v1/what-if/release-checks',
];

/** Whether a request to the route names a tenant in its path, query or body. */
export function namesTenant(route: string): boolean {
  return tenantInQuery.includes(route) || tenantInBody.includes(route) || route.includes(':tenant');
}

const queries: Readonly<Record<string, (things: TenantThings) => Readonly<Record<string, string>>>> = {
  'GET /v1/phases': ({ jobId }) => ({ jobId }),
  'GET /v1/tool-calls': ({ jobId }) => ({ jobId }),
  'GET /v1/costs': () => ({ by: 'tenant' }),
  'GET /v1/jobs/:jobId/explain': () => ({ path: 'instructions.md' }),
  'GET /v1/jobs/:jobId/diff': ({ position }) => ({ from: position }),
};

const bodies: Readonly<Record<string, (things: TenantThings) => object>> = {
  'POST /v1/jobs': ({ tenant }) => ({ tenant, agent: 'writer', idempotencyKey: 'order-1' }),
  'POST /v1/plans': ({ tenant }) => ({ tenant, goal: 'Build a boat', idempotencyKey: 'plan-1' }),
  'POST /v1/plans/:jobId/reply': () => ({ text: 'approve' }),
  'PUT /v1/me/preferences': () => ({ tone: 'friendly' }),
  'PUT /v1/secrets/:name': ({ tenant }) => ({ tenant, value: 'new' }),
  'POST /v1/agents/validate': () => ({ name: 'checked', files: { 'agent.yaml': 'name: checked\n' } }),
  'POST /v1/guards': ({ tenant, guardName }) => ({ tenant, guard: buildGuard(guardName) }),
  'POST /v1/guards/:name/promote': ({ tenant }) => ({
    ...{ tenant, version: 'f'.repeat(64), to: 'shadow', reason: 'r' },
    basis: { cause: 'tool_use', figure: 'f' },
  }),
  // A version that does not exist, because a backtest takes seconds.
  'POST /v1/guards/:name/backtests': ({ tenant }) => ({ tenant, number: 1_000 }),
  // A guard that is refused, once the rights are checked.
  'POST /v1/what-if/backtests': ({ tenant }) => ({ tenant, guard: {} }),
  'POST /v1/what-if/bills': ({ tenant }) => ({ tenant, context: {} }),
  'POST /v1/what-if/release-checks': ({ tenant }) => ({ tenant }),
  'POST /v1/guards/:name/rollback': ({ tenant }) => ({ tenant, reason: 'r' }),
  'POST /v1/learning/traces/:id/promotions': () => ({ to: 'project', reason: 'r' }),
  'POST /v1/learning/traces/:id/withdrawals': () => ({ reason: 'r' }),
  'POST /v1/jobs/:jobId/guards/:name/override': () => ({ reason: 'r' }),
  'POST /v1/jobs/:jobId/guards/:name/revoke': () => ({ reason: 'r' }),
  'PUT /v1/tenants/:tenant/retention': () => ({ filesDays: null }),
  'POST /v1/retention/runs': ({ tenant }) => ({ tenant, dryRun: true }),
  'PUT /v1/tenants/:tenant': () => ({ maxRunningPhases: 1 }),
  'POST /v1/principals/:id/link': ({ word }) => ({ subject: word, issuer: `https://login.example/${word}` }),
  'POST /v1/principals/:id/unlink': ({ word }) => ({ subject: word, issuer: `https://login.example/${word}` }),
};

/** Builds a request to a route, such as `GET /v1/jobs/:jobId`, for things of a tenant. */
export function buildRequest(route: string, things: TenantThings): RouteRequest {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern
    .split('/')
    .map((part) => (part === '*' || part.startsWith(':') ? fillParameter(part, pattern, things) : part))
    .join('/');
  const query = new URLSearchParams({
    ...queries[route]?.(things),
    ...(tenantInQuery.includes(route) ? { tenant: things.tenant } : {}),
  });
  const isFile = method === 'PUT' && pattern.endsWith('/files/*');
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  return {
    method,
    path: query.size > 0 ? `${path}?${query.toString()}` : path,
    headers: hasBody ? { 'content-type': isFile ? 'application/octet-stream' : 'application/json' } : {},
    // Requests to jobs have a member that no route knows, so that as few of them as possible change a job.
    body: hasBody ? JSON.stringify(bodies[route]?.(things) ?? { unknown: true }) : undefined,
  };
}

/** A new kind of parameter must be added here, so that the matrix uses things that exist. */
function fillParameter(part: string, pattern: string, things: TenantThings): string {
  const isRepository = pattern.includes('/repository');
  const values: Readonly<Record<string, string>> = {
    ':jobId': isRepository ? things.repositoryJobId : things.jobId,
    ':otherJobId': things.jobId,
    ':phase': '1',
    ':step': '1',
    ':tenant': things.tenant,
    ':name': pattern.includes('/guards') ? things.guardName : things.secretName,
    ...{ ':asset': 'start.js', ':pattern': '0123456789abcdef' },
    // Parameters of the addresses of the dashboard.
    ...{ ':agent': 'writer', ':guard': things.guardName, ':deadLetterId': things.deadLetterId },
    ...{ ':tab': 'keys', ':file': 'index.js', ':planId': things.jobId },
    ':principalId': things.principalId,
    ':prefix': things.keyPrefix,
    '*': things.filePath,
    ...idOf(pattern, things),
  };
  const value = values[part];
  if (value === undefined) throw new Error(`route-requests.ts does not know what ${part} of ${pattern} is`);
  return value;
}

function idOf(
  pattern: string,
  { deadLetterId, principalId, keyPrefix, retentionRunId, learningTraceId }: TenantThings,
): Readonly<Record<string, string>> {
  if (pattern.startsWith('/v1/dead-letters')) return { ':id': deadLetterId };
  if (pattern.startsWith('/v1/retention')) return { ':id': retentionRunId };
  if (/^(?:\/v1)?\/learning/.test(pattern)) return { ':id': learningTraceId };
  if (pattern.startsWith('/v1/audit')) return { ':id': retentionRunId };
  if (pattern.startsWith('/v1/keys')) return { ':id': keyPrefix };
  if (pattern.startsWith('/v1/principals')) return { ':id': principalId };
  return {};
}

/** What a caller sees of a response. */
export interface SeenResponse {
  readonly status: number;
  /** Headers and body. */
  readonly text: string;
  readonly code: string | undefined;
}

/** Headers that differ between two responses to the same request. */
const volatileHeaders: readonly string[] = ['date', 'content-length', 'keep-alive', 'connection', 'etag'];

/** Sends a request with a key. Of a stream, only the beginning is read. */
export async function sendRequest(
  { url }: Pick<OrchestratorForSpecs, 'url'>,
  { method, path, headers, body }: RouteRequest,
  key: string | undefined,
): Promise<SeenResponse> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  const seen = [...response.headers].filter(([name]) => !volatileHeaders.includes(name));
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const content = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: `${JSON.stringify(seen)}\n${content}`, code: codeOf(content) };
}

function codeOf(content: string): string | undefined {
  const [, code] = /^\{.*"code":"([a-z_]+)"/s.exec(content) ?? [];
  return code;
}
