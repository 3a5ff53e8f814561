import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { isRetryable } from '@phaseline/contracts';
import {
  encodeEventRecord,
  encodeStreamEnd,
  createProblem,
  type Alert,
  type EventRecord,
  type JobSummary,
  type PatternRecord,
  type PlanItem,
  type ProblemCode,
} from '@phaseline/client';

export interface FakeServerState {
  readonly jobs: JobSummary[];
  readonly events: EventRecord[];
  readonly files: Readonly<Record<string, string>>;
  /** Respond to every request with this problem. */
  refuse?: ProblemCode;
  /** Keep the event stream open after the last event. */
  isEndless?: boolean;
  /** What waits for a person. */
  inbox?: readonly object[];
  alerts?: readonly Alert[];
  /** Plans, newest first. */
  plans?: readonly PlanItem[];
  /** Mistakes, and what the server responds about each of them by the end of the path. */
  patterns?: readonly PatternRecord[];
  proposed?: Readonly<Record<'guard' | 'proposals', object>>;
}

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that returns the data of a test in the shapes of the real API. */
export interface FakeServer {
  readonly url: string;
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

export async function startFakeServer(state: FakeServerState): Promise<FakeServer> {
  const seen: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    respond(request, response, state, seen).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  state: FakeServerState,
  seen: RecordedRequest[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://server');
  const query = Object.fromEntries(url.searchParams);
  seen.push({
    method: request.method ?? '',
    path: url.pathname,
    query,
    headers: request.headers,
    body: Buffer.concat(chunks).toString('latin1'),
  });
  if (state.refuse !== undefined) return refuse(response, state.refuse);
  const [, version, resource, jobId, part, ...rest] = url.pathname.split('/').map(decodeURIComponent);
  if (version !== 'v1') return refuse(response, 'route_not_found');
  if (resource === 'inbox') return send(response, { items: state.inbox ?? [] });
  if (resource === 'processes')
    return send(response, {
      items: [
        {
          ...{ processId: 'w-1', service: 'tactical-worker', host: 'box', version: '1.0.0', isDead: false },
          ...{ startedAt: '2026-01-01T00:00:00.000Z', heartbeatAt: '2026-01-01T00:00:09.000Z', heartbeatAgeMs: 900 },
          ...{ pid: 4711, queues: ['tactical'], load: { running: 1, concurrency: 32 } },
          ...{ problems: [], leases: [{ jobId: state.jobs[0]!.jobId, phase: 2 }], otherLeases: 3 },
        },
      ],
    });
  if (resource === 'alerts')
    return send(response, { measuredAt: '2026-01-01T00:05:00.000Z', items: state.alerts ?? [] });
  if (resource === 'queues') return send(response, queues);
  if (resource === 'tenants')
    return send(response, jobId === undefined ? { items: [{ ...acme, maxRunningPhases: 2 }] } : acme);
  if (resource === 'login-links')
    return send(response, { token: 'pll_spec', principal: 'ada', expiresAt: '2026-01-01T00:00:00.000Z' });
  if (resource === 'secrets') {
    const repositoryHosts = ['github.com'];
    const secret = {
      tenant: 'acme',
      name: 'TOKEN',
      repositoryHosts,
      storedBy: 'ada',
      storedAt: '2026-01-01T00:00:00.000Z',
    };
    if (request.method === 'DELETE') return send(response, { removed: true });
    return send(response, jobId === undefined ? { items: [secret] } : secret);
  }
  if (resource === 'whoami') return send(response, whoAmI);
  if (resource === 'principals')
    return send(response, jobId === undefined && request.method === 'GET' ? { items: [ada] } : ada);
  if (resource === 'keys') {
    if (request.method === 'POST') return send(response, { ...key, key: `plk_${key.prefix}_secret` });
    return send(response, jobId === undefined ? { items: [key] } : { ...key, status: 'revoked' });
  }
  if (resource === 'dead-letters') {
    const found = deadLetters.find(({ id }) => id === jobId);
    if (jobId === undefined) return send(response, { items: deadLetters });
    if (!found) return refuse(response, 'dead_letter_not_found');
    const { id, queue, messageId } = found;
    return send(response, { id, queue, messageId, changed: true });
  }
  if (resource === 'learning') return sendLearning(response, state, url);
  if (resource === 'plans') return sendPlans(request, response, state, url);
  if (resource !== 'jobs') return refuse(response, 'route_not_found');
  if (jobId === undefined) {
    return request.method === 'POST'
      ? send(response, { jobId: state.jobs[0]!.jobId, status: 'submitted', created: true })
      : send(response, { items: state.jobs });
  }
  const job = state.jobs.find((one) => one.jobId === jobId);
  if (!job) return refuse(response, 'job_not_found');
  if (part === undefined) return send(response, job);
  if (part === 'cancel') return send(response, { jobId, status: 'cancelling', changed: job.status === 'running' });
  if (part === 'retry' && !isRetryable(job.status)) return refuse(response, 'request_refused');
  if (part && ['pause', 'resume', 'retry', 'steer', 'approve', 'refuse', 'answer', 'upgrade'].includes(part))
    return send(response, { jobId, status: job.status, changed: part !== 'resume' });
  if (part === 'fork')
    return send(response, {
      ...{ jobId: state.jobs[0]!.jobId, parentId: jobId, position: 5, mode: 'recorded' },
      ...{ created: true, status: 'running' },
    });
  if (part === 'events') return sendEvents(request, response, state, job, url.searchParams);
  if (part === 'state')
    return send(response, {
      jobId,
      position: Number(query['at'] ?? 999),
      job: { status: 'running', phases: 1 },
      phases: [],
      files: [],
      usage: job.usage,
    });
  if (part === 'phases') {
    const call = {
      ...{ step: 2, attempt: 1, purpose: 'work', model: 'default', promptBuilder: 1 },
      ...{ requestHash: sha256('sent'), inputTokens: 900, position: 40 },
    };
    if (rest.length === 2) return send(response, { items: [call] });
    const isExact = rest[2] === '2';
    return send(response, {
      ...{ jobId, phase: 1, call, rebuiltBy: 1, hash: sha256(isExact ? 'sent' : 'other'), isExact },
      ...(isExact ? {} : { difference: 'other-release' }),
      layers: [
        { layer: 'system', tokens: 800, firstMessage: 0, messageCount: 1 },
        { layer: 'conversation', tokens: 60, firstMessage: 1, messageCount: 1 },
        { layer: 'tools', tokens: 40, firstMessage: 2, messageCount: 0 },
      ],
      messageTokens: [800, 60],
      toolTokens: [40],
      request: {
        messages: [
          { role: 'system', content: 'You are the writer.' },
          { role: 'tool', callId: 'call_1_1_1', content: 'red \u001b[31m' },
        ],
        tools: [{ name: 'read_file', description: 'Reads a file.', parameters: { type: 'object' } }],
      },
    });
  }
  if (part === 'claims') return sendClaims(response, jobId, url.searchParams);
  if (part === 'explain') return sendExplanation(response, state, jobId, url.searchParams);
  if (part !== 'files') return refuse(response, 'route_not_found');
  if (request.method === 'PUT') return send(response, { jobId, status: job.status, changed: true });
  if (request.method === 'DELETE' && rest.join('/') in state.files)
    return send(response, { jobId, status: job.status, changed: true });
  if (rest.length === 0)
    return send(response, {
      jobId,
      items: Object.entries(state.files).map(([path, content]) => ({
        path,
        size: Buffer.byteLength(content),
        hash: sha256(content),
        writtenAt: '2026-01-01T00:00:00.000Z',
      })),
    });
  const content = state.files[rest.join('/')];
  if (content === undefined) return refuse(response, 'file_not_found');
  response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content);
}

function sendLearning(response: ServerResponse, { patterns = [], proposed }: FakeServerState, url: URL): void {
  const [, , , topic, id, part] = url.pathname.split('/');
  if (topic === 'traces')
    return send(response, { id, scope: part === 'promotions' ? 'project' : 'job', changed: part === 'promotions' });
  if (id === undefined) return send(response, { items: patterns });
  const pattern = patterns.find((one) => one.id === id);
  if (!pattern) return refuse(response, 'pattern_not_found');
  send(response, { pattern, ...proposed?.[part as 'guard' | 'proposals'] });
}

function sendPlans(request: IncomingMessage, response: ServerResponse, state: FakeServerState, url: URL): void {
  const { plans = [], jobs } = state;
  const [, , , planId] = url.pathname.split('/');
  if (request.method === 'POST') return send(response, { planId: jobs[0]!.jobId, created: true });
  const { user, goalId, open } = Object.fromEntries(url.searchParams);
  const isOpen = ({ planningStatus }: PlanItem): boolean => !['complete', 'aborted'].includes(planningStatus);
  if (planId === undefined)
    return send(response, {
      items: plans.filter(
        (one) =>
          (user ?? one.user) === one.user && (goalId ?? one.goalId) === one.goalId && (open !== 'true' || isOpen(one)),
      ),
    });
  const found = plans.find((one) => one.planId === planId);
  if (!found) return refuse(response, 'plan_not_found');
  send(response, {
    ...{ ...found, status: 'running', responseText: '', messages: [], patternRfcRequired: false, hashes: {} },
    limits: {},
    ...{ violations: [], options: [], adaptations: [], waitsFor: null },
  });
}

function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  state: FakeServerState,
  job: JobSummary,
  query: URLSearchParams,
): void {
  const types = query.getAll('types');
  const events = state.events.filter(
    (event) => event.position > Number(query.get('after') ?? 0) && (types.length === 0 || types.includes(event.type)),
  );
  if (!request.headers.accept?.includes('text/event-stream')) {
    const items = events.slice(0, Number(query.get('limit') ?? 200));
    return send(response, { items, ...(items.length < events.length ? { nextAfter: items.at(-1)!.position } : {}) });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  for (const event of events) response.write(encodeEventRecord(event));
  if (!state.isEndless) response.end(encodeStreamEnd({ status: job.status }));
}

const queues = {
  backend: 'postgres',
  deadLetterCount: 1,
  measuredAt: '2026-01-01T00:04:30.000Z',
  windowSeconds: 270,
  queues: [
    {
      ...{ queue: 'jobs', waiting: 0, active: 0, delayed: 0, failed: 0 },
      ...{ arrivalsPerMinute: 0, completionsPerMinute: 0.02, isGrowing: false },
    },
    {
      ...{ queue: 'strategic', waiting: 3, active: 1, delayed: 0, failed: 2, longestWaitMs: 65_000 },
      ...{ arrivalsPerMinute: 0.444, completionsPerMinute: 1234.5, drainSeconds: 150, isGrowing: false },
    },
    {
      ...{ queue: 'tactical', waiting: 9, active: 0, delayed: 0, failed: 0, longestWaitMs: 3_000 },
      ...{ arrivalsPerMinute: 12, completionsPerMinute: 12, isGrowing: true },
    },
  ],
};

const key = {
  ...{ prefix: '1a2b3c4d', principal: 'ada', label: 'laptop', status: 'active', createdBy: 'root' },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-04-01T00:00:00.000Z', rights: ['jobs:read'] },
};

const ada = {
  ...{ id: 'ada', kind: 'person', createdAt: '2026-01-01T00:00:00.000Z', createdBy: 'root' },
  roles: [{ role: 'operator', tenant: 'acme', grantedAt: '2026-01-01T00:00:00.000Z', grantedBy: 'root' }],
  keys: [key],
  accounts: [
    {
      ...{ issuer: 'https://login.example.org', subject: '1076' },
      ...{ linkedAt: '2026-01-01T00:00:00.000Z', linkedBy: 'root' },
    },
  ],
};

const whoAmI = {
  ...{ id: 'robot', kind: 'service', onBehalfOf: { id: 'ada', kind: 'person' } },
  authentication: { method: 'key', prefix: '1a2b3c4d', expiresAt: '2026-04-01T00:00:00.000Z' },
  roles: [{ role: 'delegate', tenant: '*' }],
  rights: [
    { right: 'jobs:read', tenants: 'all' },
    { right: 'jobs:submit', tenants: ['acme'] },
  ],
};

const acme = { tenant: 'acme', runningPhases: 2, waitingJobs: 7 };

const deadLetters = [
  {
    id: '1',
    queue: 'jobs',
    messageId: 'm1',
    kind: 'unparsable',
    reason: 'agent: expected text',
    attempts: 1,
    failedAt: '2025-03-01T12:00:00.000Z',
    payload: 'x',
  },
];

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, code: ProblemCode): void {
  const body = createProblem(code, `refused for the test: ${code}`);
  response
    .writeHead(body.status!, { 'content-type': 'application/problem+json', 'retry-after': '0' })
    .end(JSON.stringify(body));
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A refused claim, and on a second page two accepted ones. */
function sendClaims(response: ServerResponse, jobId: string, query: URLSearchParams): void {
  const place = (position: number, streamId = `phase-${jobId}-2`) => ({
    event: { streamId, version: position, position, recordedAt: '2026-01-01T10:00:00.000000Z' },
  });
  const todo = { subject: { kind: 'todo', todoId: 1 }, phase: 2, callId: 'call_2_1_1' };
  const check = { file: { path: 'output/a.md' } };
  const failure = { check, expected: 'a file output/a.md', found: 'it does not exist \u001b[2J' };
  const evidence = { check, events: place(45).event, files: [{ path: 'output/a.md', hash: sha256('a') }] };
  const { streamId, version } = evidence.events;
  const none = { runs: [], evidence: [], failures: [] };
  if (!query.has('after'))
    return send(response, {
      jobId,
      items: [{ ...none, ...todo, ...place(40), outcome: 'refused', failures: [failure], message: 'Not done.' }],
      nextAfter: 40,
    });
  const accepted = { ...evidence, events: [{ streamId, version }] };
  send(response, {
    jobId,
    items: [
      {
        ...none,
        ...todo,
        ...place(50),
        outcome: 'accepted',
        runs: [{ kind: 'verifier', name: 'unit' }],
        evidence: [accepted],
      },
      { ...none, ...place(60, `job-${jobId}`), subject: { kind: 'job' }, outcome: 'accepted' },
    ],
  });
}

/** Explains a file as written by one call, and its first line as that of the submission. */
function sendExplanation(
  response: ServerResponse,
  { files }: FakeServerState,
  jobId: string,
  query: URLSearchParams,
): void {
  const path = query.get('path') ?? '';
  const text = files[path];
  if (text === undefined) return refuse(response, 'file_not_found');
  const line = query.has('line') ? Number(query.get('line')) : undefined;
  const version = { jobId, hash: sha256(text), size: text.length, writtenAt: '2026-01-01T10:00:00.000Z' };
  const event = { streamId: `phase-${jobId}-2`, version: 9, position: 40, hash: sha256('event') };
  const citation = { kind: 'citation', document: 'documents/a.md', lines: { from: 3, to: 4 }, quote: 'must\u001b[2J' };
  const written = {
    ...{ ...version, path, author: 'call', event, callId: 'call_2_1_1', tool: 'write_file', step: 1 },
    phase: { number: 2, state: 'execute', kind: 'tactical', name: 'The work' },
    outer: { callId: 'call_2_1_0', tool: 'run_script' },
    todo: { id: 3, content: 'Write it' },
    prompt: { phase: 2, step: 1, model: 'default', requestHash: sha256('sent') },
    read: line === undefined ? [] : [{ callId: 'call_1', tool: 'read_file', step: 1, path: 'documents/a.md' }],
  };
  const imported = {
    ...{ ...version, path, author: 'import', actor: 'ada', imported: { from: 'submission' }, read: [] },
    event: { ...event, streamId: `job-${jobId}`, version: 1, position: 1 },
  };
  const range = { from: line ?? 2, to: line ?? 3, write: 0, mayBeOlder: line !== undefined, sources: [citation] };
  const first = { from: 1, to: 1, write: 1, mayBeOlder: true, sources: [{ kind: 'file', path: 'documents/b.md' }] };
  send(response, {
    ...{ jobId, path, hash: sha256(text), size: text.length, lines: 3 },
    ranges: line === undefined ? [first, range] : [range],
    writes: line === undefined ? [written, imported] : [written],
    ...(line === undefined ? {} : { text: 'the line \u001b[31m' }),
  });
}
