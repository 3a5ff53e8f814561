import { describe, expect, it } from 'vitest';
import { useCommandLine } from './testing/command-line.fixture.js';
import { JOB_ID } from './testing/example-job.js';

const cli = useCommandLine();

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
    const { code, out, err } = await cli.run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(reason);
    expect(err).toMatch(/^error: /);
  });

  it.each([
    ['status', 'For usage, run: phaseline help status'],
    ['files cat', 'For usage, run: phaseline help files cat'],
    ['--url http://127.0.0.1:9 status', 'For usage, run: phaseline help status'],
    ['status a b', 'For usage, run: phaseline help status'],
    ['answer --text x', 'For usage, run: phaseline help answer'],
    ['keys list --prefix', 'For usage, run: phaseline help keys list'],
  ])('refers to the help of the command for %j', async (argv, hint) => {
    expect((await cli.run(argv)).err).toContain(hint);
  });

  it('without a command prints the help on standard error and is a usage error', async () => {
    const { code, out, err } = await cli.run('');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: phaseline');
  });

  it('names an unknown command whose help is requested', async () => {
    const { code, out, err } = await cli.run('help nothing');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain("error: unknown command 'nothing'");
  });

  it('prints the help with the exit codes on standard output for --help', async () => {
    const { code, out, err } = await cli.run('--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('refused: bad request or document');
  });

  it('reports errors as JSON with --json, including usage errors', async () => {
    const { code, out, err } = await cli.run('list --limit x --json');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'usage', exitCode: 2 } });
  });

  it('accepts global options before and after the command', async () => {
    for (const argv of ['--json list', 'list --json'])
      expect(JSON.parse((await cli.run(argv)).out)).toHaveProperty('items');
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
    cli.state.refuse = refusal;
    const { code, out, err } = await cli.run(`status ${JOB_ID}`);
    expect({ code, out, err }).toEqual({ code: expected, out: '', err: `error: refused for the test: ${refusal}\n` });
  });

  it('is not awaited if no server is running', async () => {
    await cli.server.close();
    const { code, err } = await cli.run('list');
    expect(code).toBe(5);
    expect(err).toContain('Start one with `phaseline up`');
  });

  it('is reported with a stack only for debugging', async () => {
    cli.state.refuse = 'job_not_found';
    const { err } = await cli.run(`status ${JOB_ID}`, { env: { PHASELINE_URL: cli.server.url, PHASELINE_DEBUG: '1' } });
    expect(err).toMatch(/\n\s+at /);
  });

  it('is requested with the API key, which is never printed', async () => {
    cli.state.refuse = 'unauthorized';
    const { err } = await cli.run('list', {
      env: { PHASELINE_URL: cli.server.url, PHASELINE_API_KEY: 'very-secret-key' },
    });
    expect(cli.server.requests[0]?.headers.authorization).toBe('Bearer very-secret-key');
    expect(err).not.toContain('very-secret-key');
  });
});

describe('invalid arguments', () => {
  it.each(['files cat JOB ../x', 'files cat JOB /etc/passwd', 'files cat JOB a//b', 'files pull JOB ..'])(
    '%s is a usage error',
    async (argv) => {
      const { code, err } = await cli.run(argv.replace('JOB', JOB_ID));
      expect(code).toBe(2);
      expect(err).toContain('is not a path in a workspace');
    },
  );

  it.each(['tenants set .. --max-running-phases 1', 'dead-letters retry ..'])('%s is refused', async (argv) => {
    const { code, err } = await cli.run(argv);
    expect(code).toBe(4);
    expect(err).toContain('cannot be an id, a name or part of a file path');
  });

  it('a position after the last event leads to a note', async () => {
    for (const argv of [
      `state ${JOB_ID} --at 999999`,
      `files list ${JOB_ID} --at 999999`,
      `files cat ${JOB_ID} evil.txt --at 999999`,
    ]) {
      const { code, err } = await cli.run(argv);
      expect({ argv, code, err }).toMatchObject({
        code: 0,
        err: expect.stringContaining('no event at or after position 999999'),
      });
    }
    expect((await cli.run(`state ${JOB_ID} --at 120`)).err).toBe('');
  });
});
