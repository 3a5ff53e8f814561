import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { runCli } from './run-cli.js';
import { JOB_ID, jobSummary, runningJob } from './testing/example-job.js';
import { startFakeServer, type FakeServer, type FakeServerState } from './testing/fake-server.js';
import { createFakeHost, FakeStream } from './testing/fake-streams.js';

const OTHER = '019b0000-0000-7000-8000-00000000000c';

let state: FakeServerState;
let server: FakeServer;
beforeEach(async () => {
  state = {
    jobs: [jobSummary(), jobSummary({ jobId: OTHER, status: 'completed' })],
    events: runningJob().records,
    files: { 'output/a.json': '{"a":1}', 'evil.txt': 'x\u001b[2Jy\n' },
  };
  server = await startFakeServer(state);
});
afterEach(() => server.close());

interface RunResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(argv: string, change: Parameters<typeof createFakeHost>[0] = {}): Promise<RunResult> {
  const host = createFakeHost({ env: { PHASELINE_URL: server.url }, ...change });
  const code = await runCli(argv.split(' ').filter(Boolean), host);
  return { code, out: host.stdout.text, err: host.stderr.text };
}

describe('the command line', () => {
  it.each([
    ['lits', "unknown command 'lits'"],
    ['list --nope', "unknown option '--nope'"],
    ['list --limit x', 'Expected a whole number from 1 to 100000.'],
    ['list --status gone', 'Expected one of submitted, running'],
    ['status', "missing required argument 'job'"],
    ['status a b', 'too many arguments'],
    ['submit creator --budget-usd -1', 'Expected an amount in US dollars above 0'],
    ['submit creator --label x', 'Expected KEY=VALUE.'],
    ['submit creator --ref main', '--ref and --repository-secret need --repository'],
    ['repository patch', "missing required argument 'job'"],
    ['submit creator -i a -f b', 'give either --instructions or --instructions-file'],
    ['demo --queue-backend rabbit', 'Allowed choices are postgres, redis.'],
    ['up --port 70000', 'Expected a whole number from 1 to 65535.'],
    ['status not-a-job', '"not-a-job" is not a job id'],
    ['list --url nonsense', '--url is not a base URL'],
    ['dead-letters retry', 'give either ids or --all'],
    ['dead-letters discard 1 --all', 'give either ids or --all'],
    ['producers create', "missing required argument 'name'"],
  ])('reports %j as a usage error with a reason', async (argv, reason) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(reason);
    expect(err).toMatch(/^error: /);
  });

  it.each([
    ['status', 'For usage, run: phaseline help status'],
    ['files cat', 'For usage, run: phaseline help files cat'],
    ['--url http://127.0.0.1:9 status', 'For usage, run: phaseline help status'],
    ['status a b', 'For usage, run: phaseline help status'],
  ])('refers to the help of the command for %j', async (argv, hint) => {
    expect((await run(argv)).err).toContain(hint);
  });

  it('without a command prints the help on standard error and is a usage error', async () => {
    const { code, out, err } = await run('');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: phaseline');
  });

  it('names an unknown command whose help is requested', async () => {
    const { code, out, err } = await run('help nothing');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain("error: unknown command 'nothing'");
  });

  it('prints the help with the exit codes on standard output for --help', async () => {
    const { code, out, err } = await run('--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('refused: bad request or document');
  });

  it('reports errors as JSON with --json, including usage errors', async () => {
    const { code, out, err } = await run('list --limit x --json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  });

  it('accepts global options before and after the command', async () => {
    for (const argv of ['--json list', 'list --json'])
      expect(JSON.parse((await run(argv)).out)).toHaveProperty('items');
  });
});

it('says on standard error that a job has no event of a type', async () => {
  const { code, out, err } = await run(`events ${JOB_ID} --type Nope`);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '',
    err: 'The job has no event of type Nope after position 0.\n',
  });
});

describe('a response of the server', () => {
  it.each([
    ['job_not_found', 3],
    ['unauthorized', 4],
    ['invalid_request', 4],
    ['not_ready', 5],
    ['internal', 70],
  ] as const)('with code %s becomes exit code %i and one line', async (refusal, expected) => {
    state.refuse = refusal;
    const { code, out, err } = await run(`status ${JOB_ID}`);
    expect({ code, out, err }).toEqual({ code: expected, out: '', err: `error: refused for the test: ${refusal}\n` });
  });

  it('is not awaited if no server is running', async () => {
    await server.close();
    const { code, err } = await run('list');
    expect(code).toBe(5);
    expect(err).toContain('Start one with `phaseline up`');
  });

  it('is reported with a stack only for debugging', async () => {
    state.refuse = 'job_not_found';
    const { err } = await run(`status ${JOB_ID}`, { env: { PHASELINE_URL: server.url, PHASELINE_DEBUG: '1' } });
    expect(err).toMatch(/\n\s+at /);
  });

  it('is requested with the API key, which is never printed', async () => {
    state.refuse = 'unauthorized';
    const { err } = await run('list', { env: { PHASELINE_URL: server.url, PHASELINE_API_KEY: 'very-secret-key' } });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer very-secret-key');
    expect(err).not.toContain('very-secret-key');
  });
});

describe('the commands about jobs', () => {
  it.each(['-o yaml', '--format=yaml', '-oyaml'])('print YAML with %s', async (option) => {
    const { code, out } = await run(`list --limit 1 ${option}`);
    expect(code).toBe(0);
    expect(parseYaml(out)).toEqual(JSON.parse((await run('list --limit 1 -o json')).out));
    expect((await run(`status not-a-job ${option}`)).err).toMatch(/^\{"error":/);
  });

  it('print more columns with -o wide', async () => {
    const [title] = (await run('list -o wide')).out.split('\n');
    expect(title).toMatch(/AGENT.*CHANGED.*STEPS.*TOKENS.*LABELS.*PHASE/);
    expect((await run('list')).out.split('\n')[0]).not.toContain('LABELS');
    expect(await run('list -o table')).toMatchObject({ code: 2, out: '' });
  });

  it.each(['list', 'queues'])('refresh %s with --watch until Ctrl-C, which is not an error', async (command) => {
    const stop = new AbortController();
    const host = createFakeHost({ env: { PHASELINE_URL: server.url }, signal: stop.signal });
    const running = runCli([command, '--watch', '--json'], host);
    await expect.poll(() => host.stdout.text.trim().split('\n').length, { timeout: 10_000 }).toBeGreaterThan(1);
    stop.abort(new Error('interrupted by SIGINT'));
    expect(await running).toBe(0);
    for (const line of host.stdout.text.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  });

  it('list jobs as a table and as a document', async () => {
    expect((await run('list --limit 1')).out.split('\n')[1]).toContain(`${JOB_ID}  running`);
    expect(JSON.parse((await run('list --limit 1 --json')).out)).toMatchObject({
      items: [{ jobId: JOB_ID }],
      hasMore: true,
    });
    await run('list --status running,failed --agent creator --label team=red');
    expect(server.requests.at(-1)?.query).toMatchObject({ statuses: 'failed', agent: 'creator', label: 'team=red' });
  });

  it('find a job by a prefix of its id', async () => {
    expect(JSON.parse((await run('status 019b --json')).out)).toMatchObject({ jobId: OTHER });
    expect((await run('status 0199')).code).toBe(3);
    expect((await run('status 01')).code).toBe(2);
  });

  it('show events as lines and as JSON Lines, by type, after a position, up to a limit', async () => {
    expect((await run(`events ${JOB_ID}`)).out.split('\n')[0]).toContain('JobSubmitted');
    const { out } = await run(`events ${JOB_ID} --type TodoCompleted,PhaseStarted --after 103 --limit 3 --json`);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['TodoCompleted', 'TodoCompleted', 'PhaseStarted']);
  });

  it('follow events to the end of the job and exit with its status', async () => {
    state.jobs[0] = jobSummary({ status: 'cancelled' });
    const { code, out } = await run(`events ${JOB_ID} --follow`);
    expect(code).toBe(6);
    expect(out.trim().split('\n')).toHaveLength(state.events.length);
  });

  it('watch a job in lines on a pipe, and exit with its status', async () => {
    state.jobs[0] = jobSummary({
      status: 'failed',
      failure: { code: 'phase_limit', message: 'the job used its 60 phases' },
    });
    const { code, out } = await run(`watch ${JOB_ID}`);
    expect(code).toBe(1);
    expect(out).toContain('phase 2 started: tactical, Extract, 4 todos');
    expect(out.trim().split('\n').at(-1)).toBe('failed: the job used its 60 phases (phase_limit)');
  });

  it('show the processes with their work, and only count that of other tenants', async () => {
    const { code, out } = await run('ps');
    expect(code).toBe(0);
    expect(out).toMatch(/tactical-worker +box +w-1 .* 0\.9 s +[0-9a-f]{8} phase 2, 3 of other tenants/);
  });

  it('print the request of a model call with the result of the comparison, and fail when it is not exact', async () => {
    const exact = await run(`prompt ${JOB_ID} --phase 1 --step 2`);
    expect(exact.code).toBe(0);
    expect(exact.out).toContain('exact: the hash equals the recorded one');
    expect(exact.out).toContain('You are the writer.');
    expect(exact.out).toContain('tool read_file');
    expect(exact.out).not.toContain('\u001b');
    expect((await run(`prompt ${JOB_ID} --phase 1 --step 2 --messages`)).out).not.toContain('tool read_file');
    const other = await run(`prompt ${JOB_ID} --phase 1 --step 3`);
    expect({ code: other.code, out: other.out }).toEqual({ code: 1, out: expect.stringContaining('not exact') });
    const json = await run(`prompt ${JOB_ID} --phase 1 --step 2 --json`);
    expect(JSON.parse(json.out)).toMatchObject({ isExact: true, request: { tools: [{ name: 'read_file' }] } });
    expect((await run(`prompt ${JOB_ID} --phase 1`)).out).toMatch(/STEP.*\n +2 +1 +work +default/);
    expect((await run(`prompt ${JOB_ID} --phase x`)).code).toBe(2);
  });

  it('watch a job in a live view on a terminal, and show the cursor again at the end', async () => {
    const stdout = new FakeStream(80);
    state.jobs[0] = jobSummary({ status: 'completed' });
    expect((await run(`watch ${JOB_ID}`, { stdout })).code).toBe(0);
    expect(stdout.text).toContain('1/4 todos');
    expect(stdout.text.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.text.lastIndexOf('\u001b[?25l'));
  });

  it('watch a job as JSON Lines, the last of which is the job', async () => {
    state.jobs[0] = jobSummary({ status: 'completed' });
    const records = (await run(`watch ${JOB_ID} --json`)).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(records.map(({ kind }) => kind)).toEqual([...state.events.map(() => 'progress'), 'end']);
  });

  it('stop watching on Ctrl-C, say that the job continues, and exit with 130', async () => {
    state.isEndless = true;
    const interrupt = new AbortController();
    const stdout = new FakeStream();
    const watching = run(`watch ${JOB_ID}`, { stdout, signal: interrupt.signal });
    await expect.poll(() => stdout.text).toContain('phase 2 started');
    interrupt.abort(new Error('interrupted by SIGINT'));
    expect(await watching).toMatchObject({
      code: 130,
      err: `Stopped watching; the job continues. Watch it again with: phaseline watch ${JOB_ID}\n`,
    });
  });

  it('end without an error if their reader goes away', async () => {
    state.isEndless = true;
    const stdout = new FakeStream();
    const following = run(`events ${JOB_ID} --follow`, { stdout });
    await expect.poll(() => stdout.text).toContain('JobSubmitted');
    stdout.destroy(new Error('write EPIPE'));
    expect(await following).toMatchObject({ code: 0, err: '' });
  });

  it('show the state of a job as of a position, with the files of that position', async () => {
    const { out } = await run(`state ${JOB_ID} --at 120`);
    expect(out).toContain('position  120');
    expect(server.requests.filter(({ path }) => path.endsWith('/state')).map(({ query }) => query['at'])).toEqual([
      '120',
    ]);
  });

  it('pause one job or those of a filter', async () => {
    const { code, out } = await run(`pause ${JOB_ID} --reason lunch`);
    expect({ code, out }).toEqual({ code: 0, out: `${JOB_ID} is paused; a running step may still finish.\n` });
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ reason: 'lunch' });
    const many = await run('pause --label team=x --json');
    expect(JSON.parse(many.out).items.length).toBeGreaterThan(0);
    expect(server.requests.find(({ path, query }) => path === '/v1/jobs' && query['label'] === 'team=x')).toBeDefined();
    expect((await run('pause')).code).toBe(2);
    expect((await run(`pause ${JOB_ID} --all`)).code).toBe(2);
  });

  it('show the tenants and set their limits', async () => {
    expect((await run('tenants')).out).toMatch(/acme +2 +7 +2/);
    expect(JSON.parse((await run('tenants --json')).out).items).toMatchObject([{ tenant: 'acme', waitingJobs: 7 }]);
    expect((await run('tenants set acme --max-running-phases 4')).code).toBe(0);
    expect(server.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/v1/tenants/acme' });
    expect(JSON.parse(server.requests.at(-1)!.body)).toEqual({ maxRunningPhases: 4 });
    await run('tenants set acme --clear');
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ maxRunningPhases: null });
    expect((await run('tenants set acme')).code).toBe(2);
    expect((await run('tenants set acme --clear --max-running-phases 3')).code).toBe(2);
  });

  it('print a login link alone on standard output', async () => {
    const { out, err } = await run('login');
    expect(out).toBe(`${server.url}/login#pll_spec\n`);
    expect(err).toContain('as ada');
  });

  it('store secrets from standard input, list their names, and remove them', async () => {
    const input = Readable.from(['the value\n']) as unknown as NodeJS.ReadableStream;
    const { code, out } = await run('secrets set TOKEN --tenant acme --agent writer', { input });
    expect({ code, out }).toEqual({ code: 0, out: 'Stored TOKEN of tenant acme, for every agent.\n' });
    expect(server.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/v1/secrets/TOKEN' });
    expect(JSON.parse(server.requests.at(-1)!.body)).toEqual({ value: 'the value', tenant: 'acme', agent: 'writer' });
    expect((await run('secrets list --tenant acme')).out).toMatch(/TOKEN +every agent +ada/);
    expect((await run('secrets remove TOKEN --tenant acme')).out).toBe(
      'Removed TOKEN of tenant acme, for every agent.\n',
    );
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', query: { tenant: 'acme' } });
    expect((await run('secrets set TOKEN the-value')).code).toBe(2);
  });

  it('say that there was nothing to change, and give the reason of a refusal', async () => {
    expect((await run(`resume ${JOB_ID}`)).out).toBe(`${JOB_ID}: nothing to change.\n`);
    expect(await run(`retry ${JOB_ID}`)).toMatchObject({
      code: 4,
      err: expect.stringContaining('refused for the test'),
    });
  });

  it('approve and answer what the server shows, bound to its hash', async () => {
    const item = {
      ...{ jobId: JOB_ID, tenant: 'acme', agent: 'writer', phase: 2, position: 7 },
      ...{ askedAt: '2030-01-01T00:00:00Z', deadlineAt: '2030-01-02T00:00:00Z' },
    };
    const hash = 'a'.repeat(64);
    const approval = { tool: 'send', arguments: { to: 'ann' }, argumentsHash: hash };
    const question = { text: 'Which colour?', questionHash: hash, schema: { type: 'integer' } };
    state.inbox = [
      { ...item, kind: 'approval', callId: 'call_2_1_1', approval },
      { ...item, kind: 'question', callId: 'call_2_1_2', question },
    ];
    expect((await run(`inbox ${JOB_ID}`)).out).toMatch(/approval call_2_1_1[^]*question call_2_1_2[^]*Which colour/);
    expect(JSON.parse((await run('inbox --json')).out).items).toHaveLength(2);
    expect((await run(`approve ${JOB_ID} call_2_1_1`)).code).toBe(0);
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_2_1_1', argumentsHash: hash });
    expect((await run(`answer ${JOB_ID} call_2_1_2 7`)).code).toBe(0);
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ questionHash: hash, answer: 7 });
    expect(await run(`approve ${JOB_ID} call_9`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('These do: call_2_1_1'),
    });
    expect((await run(`approve ${JOB_ID} call_2_1_1 --amend no-such-file.json`)).code).toBe(2);
    state.inbox = [];
    expect((await run('inbox')).err).toContain('Nothing waits for a person.');
  });

  it('steer, refuse and upgrade', async () => {
    expect((await run(`steer ${JOB_ID} look-again`)).out).toContain('gets the message');
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ message: 'look-again' });
    expect((await run(`refuse ${JOB_ID} call_2_1_1 --reason no`)).code).toBe(0);
    expect(JSON.parse(server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_2_1_1', reason: 'no' });
    expect((await run(`upgrade ${JOB_ID}`)).code).toBe(0);
  });

  it('cancel a job, and succeed if it has already ended', async () => {
    expect(await run(`cancel ${JOB_ID} --reason enough`)).toMatchObject({ code: 0, out: `${JOB_ID} is cancelling.\n` });
    expect(JSON.parse(server.requests.at(-1)!.body)).toEqual({ reason: 'enough', ifUnchangedSince: 120 });
    expect((await run(`cancel ${OTHER}`)).out).toContain('there was nothing to cancel');
  });

  it('show queues, the oldest message and dead letters', async () => {
    const { out } = await run('queues');
    expect(out).toMatch(/strategic\s+3\s+1\s+0\s+2\s+1 min/);
    expect(out).toContain('unparsable: agent: expected text');
    expect(JSON.parse((await run('queues --json')).out)).toMatchObject({
      deadLetterCount: 1,
      latestDeadLetters: [{ messageId: 'm1' }],
    });
  });
});

describe('submitting', () => {
  it('sends documents, instructions, budget and labels, and prints only the id', async () => {
    const { code, out, err } = await run(
      'submit creator --document package.json --instructions short --budget-usd 2.50 --label team=red --idempotency-key k1',
      { currentDirectory: process.cwd() },
    );
    expect({ code, out }).toEqual({ code: 0, out: `${JOB_ID}\n` });
    expect(err).toContain(`phaseline watch ${JOB_ID}`);
    const { headers, body } = server.requests.at(-1)!;
    expect(headers['idempotency-key']).toBe('k1');
    expect(body).toContain(
      '{"agent":"creator","instructions":"short","budgets":{"maxCostUsd":2.5},"labels":{"team":"red"}}',
    );
    expect(body).toContain('filename="package.json"');
  });

  it('sends nothing if a document does not exist', async () => {
    const { code, err } = await run('submit creator --document gone.md');
    expect(code).toBe(4);
    expect(err).toContain('There is no document gone.md');
    expect(server.requests).toEqual([]);
  });

  it('with --wait --json waits for the end and prints one JSON document', async () => {
    state.jobs[0] = jobSummary({ status: 'cancelled' });
    const { code, out } = await run('submit creator --wait --json');
    expect(code).toBe(6);
    expect(JSON.parse(out)).toMatchObject({ jobId: JOB_ID, status: 'cancelled' });
  });
});

describe('the files of a job', () => {
  it('are listed', async () => {
    expect((await run(`files list ${JOB_ID}`)).out).toContain('7 B  output/a.json');
  });

  it('are printed byte for byte on a pipe, and without control characters on a terminal', async () => {
    expect((await run(`files cat ${JOB_ID} evil.txt`)).out).toBe('x\u001b[2Jy\n');
    const stdout = new FakeStream(80);
    await run(`files cat ${JOB_ID} evil.txt`, { stdout });
    expect(stdout.text).toBe('x·[2Jy\n');
  });

  it('are written from a local file with the condition and the reason, and deleted', async () => {
    const put = await run(
      `files put ${JOB_ID} notes/a.md --from ${import.meta.filename} --new --executable --reason typo`,
    );
    expect(put.out).toMatch(/^notes\/a\.md written \(\d+ bytes\)\.\n$/);
    expect(server.requests.at(-1)).toMatchObject({
      method: 'PUT',
      path: `/v1/jobs/${JOB_ID}/files/notes/a.md`,
      query: { reason: 'typo', mode: 'executable' },
      headers: { 'if-none-match': '*', 'content-type': 'application/octet-stream' },
      body: expect.stringContaining('the files of a job'),
    });
    expect((await run(`files put ${JOB_ID} a.md --from no-such-file`)).code).toBe(4);
    const hash = 'a'.repeat(64);
    expect((await run(`files delete ${JOB_ID} evil.txt --if-match ${hash}`)).out).toBe('evil.txt deleted.\n');
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'if-match': `"${hash}"` } });
    expect((await run(`files delete ${JOB_ID} nope`)).code).toBe(3);
  });

  it('that do not exist lead to exit code 3', async () => {
    expect((await run(`files cat ${JOB_ID} nope`)).code).toBe(3);
    expect((await run(`files cat ${JOB_ID} ./evil.txt`)).out).toBe('x\u001b[2Jy\n');
    expect((await run(`files pull ${JOB_ID} nope`)).code).toBe(3);
  });
});

describe('invalid arguments', () => {
  it.each(['files cat JOB ../x', 'files cat JOB /etc/passwd', 'files cat JOB a//b', 'files pull JOB ..'])(
    '%s is a usage error',
    async (argv) => {
      const { code, err } = await run(argv.replace('JOB', JOB_ID));
      expect(code).toBe(2);
      expect(err).toContain('is not a path in a workspace');
    },
  );

  it.each(['tenants set .. --max-running-phases 1', 'dead-letters retry ..'])('%s is refused', async (argv) => {
    const { code, err } = await run(argv);
    expect(code).toBe(4);
    expect(err).toContain('cannot be an id, a name or part of a file path');
  });

  it('a position after the last event leads to a note', async () => {
    for (const argv of [
      `state ${JOB_ID} --at 999999`,
      `files list ${JOB_ID} --at 999999`,
      `files cat ${JOB_ID} evil.txt --at 999999`,
    ]) {
      const { code, err } = await run(argv);
      expect({ argv, code, err }).toMatchObject({
        code: 0,
        err: expect.stringContaining('no event at or after position 999999'),
      });
    }
    expect((await run(`state ${JOB_ID} --at 120`)).err).toBe('');
  });
});

describe('dead letters', () => {
  it('are listed with the ids for retry and discard', async () => {
    const { code, out } = await run('dead-letters');
    expect(code).toBe(0);
    expect(out).toMatch(/ID\s+AGE\s+QUEUE/);
    expect(out).toMatch(/^\s*1\s/m);
    expect(JSON.parse((await run('dead-letters --json')).out).items).toHaveLength(1);
  });

  it.each([
    ['retry', 'retried'],
    ['discard', 'discarded'],
  ])('%s reports each dead letter, and continues after one that is refused', async (verb, participle) => {
    const { code, out, err } = await run(`dead-letters ${verb} 7 1`);
    expect(code).toBe(4);
    expect(out).toBe(`1: ${participle}\n`);
    expect(err).toContain('7: ');
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/dead-letters/7/${verb}`,
      `POST /v1/dead-letters/1/${verb}`,
    ]);
  });

  it('of one queue are selected by --all --queue', async () => {
    const { code, out } = await run('dead-letters retry --all --queue jobs --json');
    expect(code).toBe(0);
    expect(server.requests[0]).toMatchObject({ path: '/v1/dead-letters', query: { queue: 'jobs' } });
    expect(JSON.parse(out)).toEqual({ items: [{ id: '1', queue: 'jobs', messageId: 'm1', changed: true }] });
  });
});
