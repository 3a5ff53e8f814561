import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { OTHER_JOB_ID, useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

describe('the commands that control jobs', () => {
  it('pause one job or those of a filter', async () => {
    const { code, out } = await cli.run(`pause ${JOB_ID} --reason lunch`);
    expect({ code, out }).toEqual({ code: 0, out: `${JOB_ID} is paused; a running step may still finish.\n` });
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ reason: 'lunch' });
    const many = await cli.run('pause --label team=x --yes --json');
    expect(JSON.parse(many.out).items.length).toBeGreaterThan(0);
    expect(
      cli.server.requests.find(({ path, query }) => path === '/v1/jobs' && query['labels'] === 'team=x'),
    ).toBeDefined();
    expect((await cli.run('pause')).code).toBe(2);
    expect((await cli.run(`pause ${JOB_ID} --all`)).code).toBe(2);
  });

  it('say that there was nothing to change, and give the reason of a refusal', async () => {
    expect((await cli.run(`resume ${JOB_ID}`)).out).toBe(`${JOB_ID}: nothing to change.\n`);
    expect(await cli.run(`retry ${JOB_ID}`)).toMatchObject({
      code: 4,
      err: expect.stringContaining('refused for the test'),
    });
  });

  it('steer, refuse and upgrade', async () => {
    expect((await cli.run(`steer ${JOB_ID} look-again`)).out).toContain('gets the message');
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ message: 'look-again' });
    expect((await cli.run(`refuse ${JOB_ID} call_2_1_1 --reason no`)).code).toBe(0);
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ callId: 'call_2_1_1', reason: 'no' });
    expect((await cli.run(`upgrade ${JOB_ID}`)).code).toBe(0);
  });

  it('cancel a job, and succeed if it has already ended', async () => {
    expect(await cli.run(`cancel ${JOB_ID} --reason enough`)).toMatchObject({
      code: 0,
      out: `${JOB_ID} is cancelling.\n`,
    });
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({ reason: 'enough', ifUnchangedSince: 120 });
    expect((await cli.run(`cancel ${OTHER_JOB_ID}`)).out).toContain('there was nothing to cancel');
  });

  const asTerminal = (typed: string) => {
    const input = Object.assign(new PassThrough(), { isTTY: true as const });
    input.end(typed);
    return { input };
  };
  const posts = () => cli.server.requests.filter(({ method }) => method === 'POST').map(({ path }) => path);

  it('ask on a terminal before they change the jobs of a filter, and say how many', async () => {
    const env = { PHASELINE_URL: cli.server.url };
    const refused = await cli.run('cancel --agent creator', { env, ...asTerminal('no\n') });
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('Type yes to cancel these 2 jobs:') });
    expect(refused.err).toContain('Nothing was changed.');
    expect(posts()).toEqual([]);
    const done = await cli.run('cancel --agent creator', { env, ...asTerminal('yes\n') });
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('2 jobs: 2 done, 0 refused.') });
    expect(done.out.split('\n').sort()).toEqual(
      ['', `${JOB_ID} is cancelled.`, `${OTHER_JOB_ID}: nothing to change.`].sort(),
    );
    expect(posts().sort()).toEqual([`/v1/jobs/${JOB_ID}/cancel`, `/v1/jobs/${OTHER_JOB_ID}/cancel`].sort());
  });

  it('need --yes for a filter without a terminal, but not for job ids', async () => {
    expect(await cli.run('pause --waits-for worker')).toMatchObject({
      code: 2,
      err: expect.stringContaining('give --yes to pause them'),
    });
    expect(posts()).toEqual([]);
    expect((await cli.run('pause --waits-for worker --yes')).code).toBe(0);
    expect((await cli.run(`cancel ${JOB_ID} ${OTHER_JOB_ID} --reason enough`)).code).toBe(0);
    expect(posts()).toHaveLength(4);
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ reason: 'enough', ifUnchangedSince: 120 });
  });

  it('show what they would change in a dry run, and change nothing', async () => {
    expect(await cli.run(`steer ${JOB_ID} --dry-run hurry`)).toMatchObject({
      code: 0,
      err: expect.stringContaining('Would steer 1 job. Nothing was changed.'),
    });
    const { out } = await cli.run('retry --all --dry-run --json');
    expect(JSON.parse(out)).toMatchObject({ dryRun: true, items: [{ jobId: JOB_ID }, { jobId: OTHER_JOB_ID }] });
    expect(posts()).toEqual([]);
  });

  it('send a message to several jobs or those of a filter', async () => {
    expect((await cli.run(`steer ${JOB_ID} ${OTHER_JOB_ID} hurry`)).code).toBe(0);
    expect((await cli.run('steer --label a --label b=c hurry --yes')).code).toBe(0);
    const steers = cli.server.requests.filter(({ path }) => path.endsWith('/steer'));
    expect(steers.map(({ body }) => (JSON.parse(body) as { message: string }).message)).toEqual(Array(4).fill('hurry'));
    expect((await cli.run('steer hurry')).code).toBe(2);
    expect((await cli.run(`cancel ${JOB_ID} ${OTHER_JOB_ID} --wait`)).code).toBe(2);
  });
});
