import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { runCli } from '../run-cli.js';
import { OTHER_JOB_ID, useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID, jobSummary } from '../testing/example-job.js';
import { createFakeHost } from '../testing/fake-streams.js';

const cli = useCommandLine();

describe('the commands about jobs', () => {
  it.each(['-o yaml', '--format=yaml', '-oyaml'])('print YAML with %s', async (option) => {
    const { code, out } = await cli.run(`list --limit 1 ${option}`);
    expect(code).toBe(0);
    expect(parseYaml(out)).toEqual(JSON.parse((await cli.run('list --limit 1 -o json')).out));
    expect((await cli.run(`status not-a-job ${option}`)).err).toMatch(/^\{"error":/);
  });

  it('print more columns with -o wide', async () => {
    const [title] = (await cli.run('list -o wide')).out.split('\n');
    expect(title).toMatch(/AGENT.*CHANGED.*STEPS.*TOKENS.*LABELS.*PHASE/);
    expect((await cli.run('list')).out.split('\n')[0]).not.toContain('LABELS');
    expect(await cli.run('list -o table')).toMatchObject({ code: 2, out: '' });
  });

  it.each(['list', 'queues'])('refresh %s with --watch until Ctrl-C, which is not an error', async (command) => {
    const stop = new AbortController();
    const host = createFakeHost({ env: { PHASELINE_URL: cli.server.url }, signal: stop.signal });
    const running = runCli([command, '--watch', '--json'], host);
    await expect.poll(() => host.stdout.text.trim().split('\n').length, { timeout: 10_000 }).toBeGreaterThan(1);
    stop.abort(new Error('interrupted by SIGINT'));
    expect(await running).toBe(0);
    for (const line of host.stdout.text.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  });

  it('list jobs as a table and as a document', async () => {
    expect((await cli.run('list --limit 1')).out.split('\n')[1]).toContain(`${JOB_ID}  running`);
    expect(JSON.parse((await cli.run('list --limit 1 --json')).out)).toMatchObject({
      items: [{ jobId: JOB_ID }],
      hasMore: true,
    });
    await cli.run('list --status running,failed --agent creator --label team=red');
    expect(cli.server.requests.at(-1)?.query).toMatchObject({
      statuses: 'failed',
      agents: 'creator',
      labels: 'team=red',
    });
  });

  it('list jobs by age, cost, text and what they wait for, in an order', async () => {
    const { code } = await cli.run(
      'list --tenant acme --since 2030-01-01 --before 2030-02-01T12:00:00Z --idle-since 2029-12-31 --min-cost 0.5 --max-cost 2 ' +
        '--waits-for person --longer-than 1h --text review --sort waiting',
    );
    expect(code).toBe(0);
    expect(cli.server.requests.at(-1)?.query).toEqual({
      tenants: 'acme',
      createdSince: '2030-01-01T00:00:00.000Z',
      createdBefore: '2030-02-01T12:00:00.000Z',
      updatedBefore: '2029-12-31T00:00:00.000Z',
      minCostMicroUsd: '500000',
      maxCostMicroUsd: '2000000',
      waitsFor: 'person',
      waitingLongerThan: '3600',
      text: 'review',
      sort: 'waiting',
      limit: '21',
    });
    await cli.run('list --since 2h');
    const since = Date.parse(cli.server.requests.at(-1)!.query['createdSince']!);
    expect(Math.round((Date.now() - since) / 3_600_000)).toBe(2);
    for (const wrong of ['--since soon', '--longer-than 1w', '--min-cost x', '--waits-for odd', '--sort odd'])
      expect((await cli.run(`list ${wrong}`)).code, wrong).toBe(2);
  });

  it('find a job by a prefix of its id', async () => {
    expect(JSON.parse((await cli.run('status 019b --json')).out)).toMatchObject({ jobId: OTHER_JOB_ID });
    expect((await cli.run('status 0199')).code).toBe(3);
    expect((await cli.run('status 01')).code).toBe(2);
  });

  it('show events as lines and as JSON Lines, by type, after a position, up to a limit', async () => {
    expect((await cli.run(`events ${JOB_ID}`)).out.split('\n')[0]).toContain('JobSubmitted');
    const { out } = await cli.run(`events ${JOB_ID} --type TodoCompleted,PhaseStarted --after 103 --limit 3 --json`);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type),
    ).toEqual(['TodoCompleted', 'TodoCompleted', 'PhaseStarted']);
  });

  it('follow events to the end of the job and exit with its status', async () => {
    cli.state.jobs[0] = jobSummary({ status: 'cancelled' });
    const { code, out } = await cli.run(`events ${JOB_ID} --follow`);
    expect(code).toBe(6);
    expect(out.trim().split('\n')).toHaveLength(cli.state.events.length);
  });

  it('show the state of a job as of a position, with the files of that position', async () => {
    const { out } = await cli.run(`state ${JOB_ID} --at 120`);
    expect(out).toContain('position  120');
    expect(cli.server.requests.filter(({ path }) => path.endsWith('/state')).map(({ query }) => query['at'])).toEqual([
      '120',
    ]);
  });
});

it('says on standard error that a job has no event of a type', async () => {
  const { code, out, err } = await cli.run(`events ${JOB_ID} --type Nope`);
  expect({ code, out, err }).toEqual({
    code: 0,
    out: '',
    err: 'The job has no event of type Nope after position 0.\n',
  });
});

describe('submitting', () => {
  it('sends documents, instructions, budget and labels, and prints only the id', async () => {
    const { code, out, err } = await cli.run(
      'submit creator --document package.json --instructions short --budget-usd 2.50 --label team=red --idempotency-key k1',
      { currentDirectory: process.cwd() },
    );
    expect({ code, out }).toEqual({ code: 0, out: `${JOB_ID}\n` });
    expect(err).toContain(`phaseline watch ${JOB_ID}`);
    const { headers, body } = cli.server.requests.at(-1)!;
    expect(headers['idempotency-key']).toBe('k1');
    expect(body).toContain(
      '{"agent":"creator","instructions":"short","budgets":{"maxCostUsd":2.5},"labels":{"team":"red"}}',
    );
    expect(body).toContain('filename="package.json"');
  });

  it('sends the verifiers of a file, and nothing if they are wrong, with the place of each mistake', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'verifiers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const run = (text: string) => {
      writeFileSync(join(folder, 'verifiers.yaml'), text);
      return cli.run('submit creator --verifiers verifiers.yaml', { currentDirectory: folder });
    };
    expect((await run('unit: { argv: [make, test], reads: { junit: report.xml } }\n')).code).toBe(0);
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({
      agent: 'creator',
      verifiers: { unit: { argv: ['make', 'test'], reads: { junit: 'report.xml' } } },
    });
    const sent = cli.server.requests.length;
    const { code, err } = await run('unit:\n  argv: [make]\n  read: { tap: stdout }\n');
    expect(code).toBe(2);
    expect(err).toMatch(/verifiers\.yaml:3:3: unit: unknown key 'read'$/m);
    expect((await cli.run('submit creator --verifiers gone.yaml', { currentDirectory: folder })).code).toBe(2);
    expect(cli.server.requests).toHaveLength(sent);
  });

  it('sends nothing if a document does not exist', async () => {
    const { code, err } = await cli.run('submit creator --document gone.md');
    expect(code).toBe(4);
    expect(err).toContain('There is no document gone.md');
    expect(cli.server.requests).toEqual([]);
  });

  it('with --wait --json waits for the end and prints one JSON document', async () => {
    cli.state.jobs[0] = jobSummary({ status: 'cancelled' });
    const { code, out } = await cli.run('submit creator --wait --json');
    expect(code).toBe(6);
    expect(JSON.parse(out)).toMatchObject({ jobId: JOB_ID, status: 'cancelled' });
  });
});
