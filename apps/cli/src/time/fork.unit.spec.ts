import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { JOB_ID } from '../testing/example-job.js';

const cli = useCommandLine();
const FORK = `fork ${JOB_ID} --at 5 --mode recorded`;

describe('the command fork', () => {
  it('sends the policies for results that were never recorded', async () => {
    const { code } = await cli.run(`${FORK} --unrecorded *=nearest --unrecorded fetch_url=fail`);
    expect(code).toBe(0);
    const sent = cli.server.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(sent!.body)).toMatchObject({
      mode: 'recorded',
      unrecorded: { '*': 'nearest', fetch_url: 'fail' },
    });
  });

  it.each([
    ['--unrecorded fetch_url=skip', /Expected TOOL=POLICY or \*=POLICY, with one of error, fail, nearest, run/],
    ['--unrecorded nearest', /Expected TOOL=POLICY/],
    ['--unrecorded a=run --unrecorded a=fail', /The policy of a is given twice/],
  ])('refuses %s', async (options, message) => {
    const { code, err } = await cli.run(`${FORK} ${options}`);
    expect(code).not.toBe(0);
    expect(err).toMatch(message);
    expect(cli.server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
