import { userInfo } from 'node:os';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { PhaselineClient } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  collect,
  phaseEvents,
  post,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const submit = (body: unknown, headers?: Record<string, string>) => orchestrator.json('/v1/jobs', post(body, headers));

describe('submitting a job', () => {
  it('creates one, returns its location, and shows it immediately', async () => {
    const { status, body, headers } = await submit({
      agent: 'writer',
      labels: { team: 'norms' },
      documents: [{ name: 'a.md', content: 'text' }],
    });
    expect(status).toBe(201);
    expect(body).toEqual({ jobId: expect.any(String), created: true, status: 'submitted' });
    expect(headers.get('location')).toBe(`/v1/jobs/${String(body['jobId'])}`);
    const job = await client.get(String(body['jobId']));
    expect(job).toMatchObject({ agent: 'writer', labels: { team: 'norms' }, usage: { steps: 0 } });
  });

  it('returns the same job for the same key, even after it has ended', async () => {
    const request = { agent: 'writer', instructions: 'once' };
    const key = { 'idempotency-key': `key-${randomUUID()}` };
    const first = await submit(request, key);
    expect(first.status).toBe(201);
    const again = await submit(request, key);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ jobId: first.body['jobId'], created: false });
    await client.cancel(String(first.body['jobId']));
    const late = await submit({ ...request, idempotencyKey: key['idempotency-key'] });
    expect(late.status).toBe(200);
    expect(late.body).toMatchObject({ jobId: first.body['jobId'], created: false, status: 'cancelled' });
  });

  it('creates one job from many concurrent requests with one key', async () => {
    const key = { 'idempotency-key': `key-${randomUUID()}` };
    const answers = await Promise.all(Array.from({ length: 12 }, () => submit({ agent: 'writer' }, key)));
    expect(new Set(answers.map(({ body }) => body['jobId'])).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('refuses a key that was used for another request, and names the job it created', async () => {
    const key = { 'idempotency-key': `key-${randomUUID()}` };
    const { body: first } = await submit({ agent: 'writer' }, key);
    const { status, body } = await submit({ agent: 'writer', instructions: 'other' }, key);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringContaining(String(first['jobId'])),
    });
  });

  it('refuses two different keys in one request, and a key that a header cannot contain', async () => {
    expect(await submit({ agent: 'writer', idempotencyKey: 'a' }, { 'idempotency-key': 'b' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    expect(await submit({ agent: 'writer' }, { 'idempotency-key': 'two words' })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'idempotency-key' }] },
    });
  });

  it('names the known agents when it does not know one', async () => {
    const { status, body } = await submit({ agent: 'wirter' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'unknown_agent',
      message: 'There is no agent "wirter". Did you mean "writer"? Known are: reader, writer.',
    });
  });

  it('refuses a submission without the inputs that the agent requires, and names all missing inputs', async () => {
    const { status, body } = await submit({ agent: 'reader' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'inputs_missing',
      message:
        'The agent reader needs a document (0 given), and instructions that say what to do, and the parameter "region".',
      errors: [{ path: 'documents' }, { path: 'instructions' }, { path: 'parameters.region' }],
    });
    const documents = [{ name: 'a.md', content: 'text' }];
    expect(await submit({ agent: 'reader', documents, instructions: ' ', parameters: { region: 'eu' } })).toMatchObject(
      {
        status: 422,
        body: { errors: [{ path: 'instructions' }] },
      },
    );
    expect(
      await submit({ agent: 'reader', documents, instructions: 'Read.', parameters: { region: null } }),
    ).toMatchObject({ status: 201 });
  });

  it('records the verifiers of a submission, and refuses those that cannot be used', async () => {
    const verifiers = { unit: { argv: ['make', 'test'], reads: { junit: 'report.xml' } } };
    const { status, body } = await submit({ agent: 'writer', verifiers });
    expect(status).toBe(201);
    const first = await client.events(String(body['jobId']))[Symbol.asyncIterator]().next();
    expect(first.value).toMatchObject({ type: 'JobSubmitted', data: { verifiers } });
    const refuse = async (name: string, verifier: object) =>
      (await submit({ agent: 'writer', verifiers: { [name]: verifier } })).body;
    expect(await refuse('unit', { minTests: 2 })).toMatchObject({
      code: 'verifier_invalid',
      message: expect.stringMatching(/^The verifier unit cannot be used: argv: expected one of/),
    });
    expect(await refuse('unit', { fromRepository: 'ci/unit.yaml' })).toMatchObject({
      code: 'verifier_invalid',
      message: expect.stringContaining('the request names none'),
    });
    for (const more of [{ env: { A: '${DATABASE_URL}' } }, { secrets: ['TOKEN'] }, { network: ['example.org'] }])
      expect(await refuse('unit', { argv: ['env'], ...more })).toMatchObject({ code: 'invalid_request' });
  });

  it.each([
    ['{"agent": writer}', 400, /not valid JSON: line 1, column 11, at "w"/],
    ['{"agent":\n "writer",\n}', 400, /line 3, column 1, at "}"/],
    ['{"agent": "writer"', 400, /where it ends/],
    ['[]', 400, /expected object/],
    ['', 400, /expected object/],
    ['{"agnt": "writer"}', 400, /agent: .*and 1 more/],
    [
      '{"agent": "writer", "documents": [{"name": "../x", "content": ""}]}',
      400,
      /documents\.0\.name: expected a relative name/,
    ],
    ['{"agent": "writer", "documents": [{"name": "x.md", "content": ""}]}', 422, /document x\.md is empty/],
    ['{"agent": "writer", "budgets": {"maxCost": 1}}', 400, /budgets: Unrecognized key/],
    ['{"__proto__": {"agent": "writer"}}', 400, /agent/],
  ])('refuses the body %j and says where the error is', async (text, status, message) => {
    const answer = await orchestrator.fetch('/v1/jobs', post(text));
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(((await answer.json()) as { message: string }).message).toMatch(message);
  });

  it('refuses a body that is not UTF-8, or neither JSON nor a form', async () => {
    const bytes = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Uint8Array.of(0x7b, 0xff, 0x7d),
    });
    expect(bytes).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', message: expect.stringContaining('UTF-8') },
    });
    const xml = await orchestrator.json('/v1/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/xml' },
      body: '<agent/>',
    });
    expect(xml).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', message: expect.stringContaining('multipart/form-data') },
    });
  });

  it('applies the tighter of two budgets', async () => {
    const { body } = await submit({ agent: 'writer', budgets: { maxCostUsd: 0.5, maxTokens: 10 } });
    const job = await orchestrator.repository.loadJob(String(body['jobId']));
    expect(job?.submitted.budgets).toEqual({ maxCostUsd: 0.5, maxTokens: 10 });
  });

  it('records the trace context of the request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { body } = await submit({ agent: 'writer' }, { traceparent });
    const [event] = await orchestrator.store.read(`job-${String(body['jobId'])}`);
    expect(event?.metadata).toEqual({ actor: { id: userInfo().username, kind: 'person' }, traceparent });
  });
});

describe('a job that was submitted', () => {
  it('is dispatched, dispatched again after its phase, and completed with its result', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    await orchestrator.inPhase(jobId, 1, [
      phaseEvents.answered(1),
      phaseEvents.todoDone(1),
      phaseEvents.todoDone(2),
      phaseEvents.ended('planned'),
    ]);
    await expect
      .poll(async () => (await client.get(jobId)).phase)
      .toMatchObject({ number: 2, state: 'review', todosTotal: 1, todosDone: 0 });
    await orchestrator.inPhase(jobId, 2, [phaseEvents.answered(1), phaseEvents.todoDone(1), phaseEvents.ended('done')]);
    const job = await client.wait(jobId, { pollMs: 20 });
    expect(job).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 200, cachedInputTokens: 20, outputTokens: 10, costMicroUsd: 18, steps: 2 },
    });
    expect(job.endedAt).toBeDefined();
  });

  it('is not found under an invalid or unknown id', async () => {
    for (const id of [randomUUID(), 'nonsense', '..%2f..', '%00', "1' OR 1=1"]) {
      expect(await orchestrator.json(`/v1/jobs/${id}`)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    }
  });

  it('is cancelled once, and cancelling again is not an error', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    expect(await client.cancel(jobId, { reason: 'not needed' })).toEqual({
      jobId,
      status: 'cancelled',
      changed: true,
    });
    expect(await client.cancel(jobId)).toEqual({ jobId, status: 'cancelled', changed: false });
    expect((await client.get(jobId)).failure).toEqual({ code: 'cancelled', message: 'not needed' });
    const events = await orchestrator.store.readCorrelation(jobId, { types: ['JobCancelRequested'] });
    expect(events.map(({ data, metadata }) => [data, metadata])).toEqual([
      [
        { actor: userInfo().username, reason: 'not needed' },
        {
          actor: { id: userInfo().username, kind: 'person' },
          request: expect.any(String),
        },
      ],
    ]);
    expect(await orchestrator.json(`/v1/jobs/${randomUUID()}/cancel`, { method: 'POST' })).toMatchObject({
      status: 404,
      body: { code: 'job_not_found' },
    });
    expect(await orchestrator.json(`/v1/jobs/${jobId}/cancel`, post({ resaon: 'x' }))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});

describe('a request to a job', () => {
  const readEvents = (jobId: string, types: string[]) => orchestrator.store.readCorrelation(jobId, { types });
  const keyed = (body: object, headers: Record<string, string>): RequestInit => ({
    ...post(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

  it('is applied once per key, and a repeat gets the same response', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const pause = keyed({ reason: 'lunch' }, { 'idempotency-key': 'first' });
    const first = await orchestrator.json(`/v1/jobs/${jobId}/pause`, pause);
    expect(first).toMatchObject({ status: 200, body: { changed: true, status: 'paused' } });
    await client.control(jobId, 'resume', {});
    expect(await orchestrator.json(`/v1/jobs/${jobId}/pause`, pause)).toMatchObject({
      status: 200,
      body: { changed: true, status: 'running' },
    });
    expect(await readEvents(jobId, ['JobPaused'])).toHaveLength(1);
    const other = keyed({ reason: 'dinner' }, { 'idempotency-key': 'first' });
    expect(await orchestrator.json(`/v1/jobs/${jobId}/pause`, other)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    });
    for (const path of ['pause', 'cancel'])
      expect(
        await orchestrator.json(`/v1/jobs/${jobId}/${path}`, keyed({}, { 'idempotency-key': 'a b' })),
      ).toMatchObject({
        status: 400,
        body: { errors: [{ path: 'idempotency-key' }] },
      });
  });

  it('is refused with the reason when the job received another request in the meantime', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const { position } = await client.get(jobId);
    await client.control(jobId, 'pause', { ifUnchangedSince: position });
    await client.control(jobId, 'resume', {});
    const late = { ifUnchangedSince: position };
    for (const action of ['pause', 'cancel'])
      expect(await orchestrator.json(`/v1/jobs/${jobId}/${action}`, post(late))).toMatchObject({
        status: 409,
        body: {
          code: 'request_refused',
          message: expect.stringMatching(/^Not done: \S+ resumed the job at /) as string,
        },
      });
    expect((await client.list({ limit: 200 }).next()).value).toHaveProperty('position');
    const now = await client.get(jobId);
    await client.cancel(jobId, { ifUnchangedSince: now.position });
    expect(await readEvents(jobId, ['JobPaused', 'JobCancelRequested'])).toHaveLength(2);
  });

  it('is dropped when its caller has given up or disconnected before it could be recorded', async () => {
    const { jobId } = await client.submit({ agent: 'writer' });
    const body = JSON.stringify({ reason: 'late' });
    const headers = { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' };
    const url = `${orchestrator.url}/v1/jobs/${jobId}/pause`;
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const request = httpRequest(url, { method: 'POST', headers: { ...headers, 'phaseline-caller-timeout-ms': 1 } });
      // From here on the server has the request; its body arrives later than the caller waits.
      request.once('continue', () => void setTimeout(() => request.end(body), 50)).once('error', reject);
      request.once('response', (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      request.flushHeaders();
    });
    expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('Nothing was changed') as string });
    expect(await readEvents(jobId, ['JobPaused'])).toEqual([]);
    expect(
      await orchestrator.json(`/v1/jobs/${jobId}/pause`, keyed({}, { 'phaseline-caller-timeout-ms': 'soon' })),
    ).toMatchObject({ status: 400, body: { errors: [{ path: 'phaseline-caller-timeout-ms' }] } });
  });
});

describe('listing jobs', () => {
  it('filters, pages with a cursor, and refuses unknown parameters', async () => {
    const label = { run: randomUUID() };
    const jobIds: string[] = [];
    for (let number = 0; number < 5; number += 1)
      jobIds.push((await client.submit({ agent: 'writer', labels: label })).jobId);
    const filter = { label: `run=${label.run}` };
    await expect.poll(async () => (await client.listPage(filter)).items.length).toBe(5);
    const listed = await collect(client.list({ ...filter, limit: 2 }));
    expect(listed.map(({ jobId }) => jobId)).toEqual([...jobIds].reverse());
    expect((await client.listPage({ ...filter, agent: 'nobody' })).items).toEqual([]);
    expect((await client.listPage({ ...filter, statuses: ['completed'] })).items).toEqual([]);
    for (const query of [
      'limit=0',
      'limit=1e2',
      'statuses=odd',
      'colour=blue',
      'cursor=%21',
      'cursor=am9iczp4',
      'limit=5&limit=6',
    ]) {
      expect(await orchestrator.json(`/v1/jobs?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      });
    }
  });
});
