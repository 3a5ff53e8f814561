import { Readable } from 'node:stream';
import type { Alert } from '@phaseline/client';
import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';

const cli = useCommandLine();

describe('the commands about the system', () => {
  it('show the processes with their work, and only count that of other tenants', async () => {
    const { code, out } = await cli.run('ps');
    expect(code).toBe(0);
    expect(out).toMatch(
      /tactical-worker +box +4711 +w-1 .* 0\.9 s +tactical +1\/32 +[0-9a-f]{8} phase 2, 3 of other tenants/,
    );
  });

  it('show the tenants and set their limits', async () => {
    expect((await cli.run('tenants')).out).toMatch(/acme +2 +7 +2/);
    expect(JSON.parse((await cli.run('tenants --json')).out).items).toMatchObject([{ tenant: 'acme', waitingJobs: 7 }]);
    expect((await cli.run('tenants set acme --max-running-phases 4')).code).toBe(0);
    expect(cli.server.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/v1/tenants/acme' });
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({ maxRunningPhases: 4 });
    await cli.run('tenants set acme --clear');
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toMatchObject({ maxRunningPhases: null });
    expect((await cli.run('tenants set acme')).code).toBe(2);
    expect((await cli.run('tenants set acme --clear --max-running-phases 3')).code).toBe(2);
  });

  it('print a login link alone on standard output', async () => {
    const { out, err } = await cli.run('login');
    expect(out).toBe(`${cli.server.url}/login#pll_spec\n`);
    expect(err).toContain('as ada');
  });

  it('store secrets from standard input, list their names, and remove them', async () => {
    const input = Readable.from(['the value\n']) as unknown as NodeJS.ReadableStream;
    const { code, out } = await cli.run('secrets set TOKEN --tenant acme --agent writer', { input });
    expect({ code, out }).toEqual({
      code: 0,
      out: 'Stored TOKEN of tenant acme, for every agent, and for repositories on github.com.\n',
    });
    expect(cli.server.requests.at(-1)).toMatchObject({ method: 'PUT', path: '/v1/secrets/TOKEN' });
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({
      value: 'the value',
      tenant: 'acme',
      agent: 'writer',
    });
    expect((await cli.run('secrets list --tenant acme')).out).toMatch(/TOKEN +every agent +github\.com +ada/);
    expect((await cli.run('secrets remove TOKEN --tenant acme')).out).toBe(
      'Removed TOKEN of tenant acme, for every agent.\n',
    );
    expect(cli.server.requests.at(-1)).toMatchObject({ method: 'DELETE', query: { tenant: 'acme' } });
    expect((await cli.run('secrets set TOKEN the-value')).code).toBe(2);
    const again = { input: Readable.from(['the value\n']) as unknown as NodeJS.ReadableStream };
    await cli.run('secrets set TOKEN --repository-host github.com --repository-host git.example.org:8443', again);
    expect(JSON.parse(cli.server.requests.at(-1)!.body)).toEqual({
      value: 'the value',
      repositoryHosts: ['github.com', 'git.example.org:8443'],
    });
  });

  it('show queues, the oldest message and dead letters', async () => {
    const { out } = await cli.run('queues');
    expect(out).toMatch(/strategic +3 +1 +0 +2 +1 min +0\.4 +1235 +2 min/);
    expect(out).toMatch(/jobs +0 +0 +0 +0 +- +0 +<0\.1 +-/);
    expect(out).toMatch(/tactical +9 +0 +0 +0 +3 s +12 +12 +never/);
    expect(out).toContain('Rates of the last 4 min.');
    expect(out).toContain('unparsable: agent: expected text');
    expect(JSON.parse((await cli.run('queues --json')).out)).toMatchObject({
      deadLetterCount: 1,
      latestDeadLetters: [{ messageId: 'm1' }],
    });
  });

  it('show what is wrong, with an exit code for scripts', async () => {
    expect(await cli.run('alerts')).toMatchObject({ code: 0, out: 'Nothing is wrong.\n' });
    const warning: Alert = {
      ...{ id: 'queue-old:jobs', kind: 'queue-old' as const, severity: 'warning' as const },
      ...{ title: 'Messages wait long on the queue jobs', cause: 'The oldest has waited for 9 min.' },
      ...{ command: 'phaseline queues', since: '2026-01-01T00:02:00.000Z' },
    };
    cli.state.alerts = [warning];
    const { code, out } = await cli.run('alerts');
    expect(code).toBe(0);
    expect(out).toMatch(
      /warning +Messages wait long on the queue jobs for 3 min\n +The oldest has .*\n +→ phaseline queues/,
    );
    const critical: Alert = { ...warning, id: 'x', severity: 'critical', title: 'Dead \u001b[31m' };
    cli.state.alerts = [critical, warning];
    const result = await cli.run('alerts --json');
    expect(result.code).toBe(1);
    expect(JSON.parse(result.out)).toMatchObject({
      measuredAt: '2026-01-01T00:05:00.000Z',
      items: [critical, warning],
    });
    expect((await cli.run('alerts')).out).not.toContain('\u001b');
  });
});
