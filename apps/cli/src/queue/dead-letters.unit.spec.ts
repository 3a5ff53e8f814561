import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';

const cli = useCommandLine();

describe('dead letters', () => {
  it('are listed with the ids for retry and discard', async () => {
    const { code, out } = await cli.run('dead-letters');
    expect(code).toBe(0);
    expect(out).toMatch(/ID\s+AGE\s+QUEUE/);
    expect(out).toMatch(/^\s*1\s/m);
    expect(JSON.parse((await cli.run('dead-letters --json')).out).items).toHaveLength(1);
  });

  it.each([
    ['retry', 'retried'],
    ['discard', 'discarded'],
  ])('%s reports each dead letter, and continues after one that is refused', async (verb, participle) => {
    const { code, out, err } = await cli.run(`dead-letters ${verb} 7 1`);
    expect(code).toBe(4);
    expect(out).toBe(`1: ${participle}\n`);
    expect(err).toContain('7: ');
    expect(cli.server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /v1/dead-letters/7/${verb}`,
      `POST /v1/dead-letters/1/${verb}`,
    ]);
  });

  it('of one queue are selected by --all --queue', async () => {
    const { code, out } = await cli.run('dead-letters retry --all --queue jobs --json');
    expect(code).toBe(0);
    expect(cli.server.requests[0]).toMatchObject({ path: '/v1/dead-letters', query: { queue: 'jobs' } });
    expect(JSON.parse(out)).toEqual({ items: [{ id: '1', queue: 'jobs', messageId: 'm1', changed: true }] });
  });
});
