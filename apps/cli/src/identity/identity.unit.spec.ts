import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../testing/command-line.fixture.js';

const cli = useCommandLine();
const bodyOf = (index: number): unknown => JSON.parse(cli.server.requests.at(index)!.body);

it('whoami shows the caller, how it was recognised, and its rights by tenant', async () => {
  expect((await cli.run('whoami')).out.split('\n')).toEqual([
    'robot (service), on behalf of ada (person), with the key 1a2b3c4d, until 2026-04-01T00:00:00.000Z',
    'roles: delegate in all tenants',
    'rights in all tenants: jobs:read',
    'rights in acme: jobs:submit',
    '',
  ]);
  expect(JSON.parse((await cli.run('whoami --json')).out)).toMatchObject({ id: 'robot' });
});

describe('the commands about principals', () => {
  it('list, create, show and change them', async () => {
    expect((await cli.run('principals list')).out).toMatch(/ada +person +enabled +operator in acme +1 +1 +root/);
    expect(JSON.parse((await cli.run('principals list --json')).out).items).toHaveLength(1);
    expect((await cli.run('principals create ada --kind service')).code).toBe(0);
    expect(bodyOf(-1)).toEqual({ id: 'ada', kind: 'service' });
    expect((await cli.run('principals show ada')).out).toMatch(/operator in acme, granted by root[^]*1a2b3c4d/);
    await cli.run('principals disable ada --reason left');
    expect(cli.server.requests.at(-1)).toMatchObject({ path: '/v1/principals/ada/disable', body: '{"reason":"left"}' });
    await cli.run('principals enable ada');
    expect(cli.server.requests.at(-1)).toMatchObject({ path: '/v1/principals/ada/enable' });
    for (const change of ['grant', 'revoke']) {
      await cli.run(`principals ${change} ada auditor --tenant *`);
      expect(cli.server.requests.at(-1)).toMatchObject({ path: `/v1/principals/ada/${change}` });
      expect(bodyOf(-1)).toEqual({ role: 'auditor', tenant: '*' });
    }
    await cli.run('principals link ada 10769150350006150715113082367');
    expect(cli.server.requests.at(-1)).toMatchObject({ path: '/v1/principals/ada/link' });
    expect(bodyOf(-1)).toEqual({ subject: '10769150350006150715113082367' });
    const { out } = await cli.run('principals unlink ada 1076 --issuer https://login.example.org --reason left');
    expect(cli.server.requests.at(-1)).toMatchObject({ path: '/v1/principals/ada/unlink' });
    expect(bodyOf(-1)).toEqual({ subject: '1076', issuer: 'https://login.example.org', reason: 'left' });
    expect(out).toContain('account 1076 of https://login.example.org, linked by root at 2026-01-01');
    expect(await cli.run('principals grant ada auditor')).toMatchObject({
      code: 2,
      err: expect.stringContaining("required option '--tenant <tenant>'"),
    });
    expect((await cli.run('principals create ada --kind robot')).code).toBe(2);
  });
});

describe('the commands about keys', () => {
  it('print a new key alone on standard output', async () => {
    const { out, err } = await cli.run(
      'keys create ada --label laptop --expires 2026-12-31 --right jobs:read,jobs:submit --tenant acme',
    );
    expect(out).toBe('plk_1a2b3c4d_secret\n');
    expect(err).toContain('Key 1a2b3c4d of ada, until 2026-04-01T00:00:00.000Z. It is not shown again:');
    expect(bodyOf(-1)).toEqual({
      ...{ principal: 'ada', label: 'laptop', expiresAt: '2026-12-31T00:00:00.000Z' },
      ...{ rights: ['jobs:read', 'jobs:submit'], tenants: ['acme'] },
    });
  });

  it('count an expiry in days or hours from now', async () => {
    for (const [text, hours] of [
      ['30d', 720],
      ['12h', 12],
    ] as const) {
      const before = Date.now();
      await cli.run(`keys create ada --expires ${text}`);
      const { expiresAt } = bodyOf(-1) as { expiresAt: string };
      const difference = Date.parse(expiresAt) - before - hours * 3_600_000;
      expect(difference >= 0 && difference < 3_600_000).toBe(true);
    }
    for (const wrong of ['soon', '0d', '5', '2026-13-45'])
      expect((await cli.run(`keys create ada --expires ${wrong}`)).code, wrong).toBe(2);
  });

  it('find and revoke a key by its prefix, and send no secret part', async () => {
    const whole = `plk_1a2b3c4d_${'s'.repeat(43)}`;
    expect((await cli.run(`keys list --prefix ${whole} --principal ada`)).out).toMatch(/1a2b3c4d +ada +active/);
    expect(cli.server.requests.at(-1)!.query).toEqual({ prefix: '1a2b3c4d', principal: 'ada' });
    expect((await cli.run(`keys revoke ${whole} --reason lost`)).out).toBe(
      'Revoked the key 1a2b3c4d of ada. It is refused within 2 seconds.\n',
    );
    expect(cli.server.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/v1/keys/1a2b3c4d',
      query: { reason: 'lost' },
    });
    expect(JSON.stringify(cli.server.requests)).not.toContain('sss');
    expect((await cli.run('keys revoke nonsense')).code).toBe(2);
  });
});
