import { describe, expect, it } from 'vitest';
import { OTHER_JOB_ID, useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();

describe('the commands that control jobs', () => {
  it('pause one job or those of a filter', async () => {
    const { code, out } = await cli.run(`pause ${JOB_ID} --reason lunch`);
    expect({ code, out }).toEqual({ code: 0, out: `${JOB_ID} is paused; a running step may still finish.\n` });
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ reason: 'lunch' });
    const many = await cli.run('pause --label team=x --json');
    expect(JSON.parse(many.out).items.length).toBeGreaterThan(0);
    expect(
      cli.server.requests.find(({ path, query }) => path === '/v1/jobs' && query['label'] === 'team=x'),
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
});
