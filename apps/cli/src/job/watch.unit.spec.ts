import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID, jobSummary } from '../testing/example-job.js';
import { FakeStream } from '../testing/fake-streams.js';

const cli = useCommandLine();

describe('the commands that follow a job', () => {
  it('watch a job in lines on a pipe, and exit with its status', async () => {
    cli.state.jobs[0] = jobSummary({
      status: 'failed',
      failure: { code: 'phase_limit', message: 'the job used its 60 phases' },
    });
    const { code, out } = await cli.run(`watch ${JOB_ID}`);
    expect(code).toBe(1);
    expect(out).toContain('phase 2 started: tactical, Extract, 4 todos');
    expect(out.trim().split('\n').at(-1)).toBe('failed: the job used its 60 phases (phase_limit)');
  });

  it('watch a job in a live view on a terminal, and show the cursor again at the end', async () => {
    const stdout = new FakeStream(80);
    cli.state.jobs[0] = jobSummary({ status: 'completed' });
    expect((await cli.run(`watch ${JOB_ID}`, { stdout })).code).toBe(0);
    expect(stdout.text).toContain('1/4 todos');
    expect(stdout.text.lastIndexOf('\u001b[?25h')).toBeGreaterThan(stdout.text.lastIndexOf('\u001b[?25l'));
  });

  it('watch a job as JSON Lines, the last of which is the job', async () => {
    cli.state.jobs[0] = jobSummary({ status: 'completed' });
    const records = (await cli.run(`watch ${JOB_ID} --json`)).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string });
    expect(records.map(({ kind }) => kind)).toEqual([...cli.state.events.map(() => 'progress'), 'end']);
  });

  it('stop watching on Ctrl-C, say that the job continues, and exit with 130', async () => {
    cli.state.isEndless = true;
    const interrupt = new AbortController();
    const stdout = new FakeStream();
    const watching = cli.run(`watch ${JOB_ID}`, { stdout, signal: interrupt.signal });
    await expect.poll(() => stdout.text).toContain('phase 2 started');
    interrupt.abort(new Error('interrupted by SIGINT'));
    expect(await watching).toMatchObject({
      code: 130,
      err: `Stopped watching; the job continues. Watch it again with: phaseline watch ${JOB_ID}\n`,
    });
  });

  it('end without an error if their reader goes away', async () => {
    cli.state.isEndless = true;
    const stdout = new FakeStream();
    const following = cli.run(`events ${JOB_ID} --follow`, { stdout });
    await expect.poll(() => stdout.text).toContain('JobSubmitted');
    stdout.destroy(new Error('write EPIPE'));
    expect(await following).toMatchObject({ code: 0, err: '' });
  });
});
