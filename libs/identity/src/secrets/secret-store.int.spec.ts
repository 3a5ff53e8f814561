import { assertReadable } from '@phaseline/domain';
import { EventStore, MasterKeys } from '@phaseline/event-store';
import { useTestDatabase } from '@phaseline/event-store/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { compareSecrets } from './compare-secrets.js';
import { SecretInvalid, SecretMissing, SecretsUnavailable } from './secret-errors.js';
import { SecretStore } from './secret-store.js';

const ada = { id: 'ada', kind: 'person' } as const;
const VALUE = 'a value that nobody may see';
const pools = useTestDatabase();
const keys = MasterKeys.parse(MasterKeys.generate());
let log: EventStore;
let secrets: SecretStore;
let tenant: string;
let counter = 0;
const open = (masterKeys = keys): SecretStore => new SecretStore(pools.service, log, masterKeys);

beforeEach(() => {
  log = new EventStore(pools.service, { checkEvent: assertReadable });
  secrets = open();
  tenant = `tenant-${(counter += 1)}`;
});

describe('a stored secret', () => {
  it('is read by agents of its tenant, and listed without its value', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    expect(await secrets.read({ tenant, agent: 'creator' }, ['TOKEN'])).toEqual({ TOKEN: VALUE });
    const list = await secrets.list(tenant);
    expect(list).toEqual([{ tenant, name: 'TOKEN', storedBy: 'ada', storedAt: expect.stringMatching(/Z$/) }]);
    expect(await secrets.list('another')).toEqual([]);
  });

  it('replaces the one before it', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    await secrets.put({ tenant }, 'TOKEN', `${VALUE} 2`, ada);
    expect(await secrets.read({ tenant, agent: 'creator' }, ['TOKEN'])).toEqual({ TOKEN: `${VALUE} 2` });
    expect(await secrets.list(tenant)).toHaveLength(1);
  });

  it('of an agent is used by that agent alone, and preferred to the one of the tenant', async () => {
    await secrets.put({ tenant, agent: 'creator' }, 'TOKEN', VALUE, ada);
    expect(await secrets.read({ tenant, agent: 'creator' }, ['TOKEN'])).toEqual({ TOKEN: VALUE });
    await expect(secrets.read({ tenant, agent: 'other' }, ['TOKEN'])).rejects.toThrow(SecretMissing);
    await secrets.put({ tenant }, 'TOKEN', 'the value of the tenant', ada);
    expect(await secrets.read({ tenant, agent: 'creator' }, ['TOKEN'])).toEqual({ TOKEN: VALUE });
    expect(await secrets.read({ tenant, agent: 'other' }, ['TOKEN'])).toEqual({ TOKEN: 'the value of the tenant' });
  });

  it('is not found from another tenant, with the same words as one that does not exist', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    const read = (name: string): Promise<string> =>
      secrets.read({ tenant: 'foreign', agent: 'creator' }, [name]).then(JSON.stringify, String);
    expect(await read('TOKEN')).toBe((await read('NOTHING')).replace('NOTHING', 'TOKEN'));
  });

  it('is in the database only encrypted, and in the log not at all', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    await secrets.remove({ tenant }, 'TOKEN', ada);
    await secrets.put({ tenant, agent: 'creator' }, 'TOKEN', VALUE, ada);
    const { rows } = await pools.owner.query<{ row: string }>(
      `SELECT to_jsonb(s)::text AS row FROM phaseline.secrets AS s WHERE tenant = $1
       UNION ALL SELECT to_jsonb(e)::text FROM phaseline.events AS e WHERE stream_id = $2`,
      [tenant, `secrets-${tenant}`],
    );
    expect(rows).toHaveLength(4);
    const text = rows.map(({ row }) => row).join('\n');
    for (const form of [VALUE, Buffer.from(VALUE).toString('hex'), Buffer.from(VALUE).toString('base64')])
      expect(text).not.toContain(form);
    const events = await log.read(`secrets-${tenant}`);
    expect(events.map(({ type, data, metadata }) => ({ type, data, metadata }))).toEqual([
      { type: 'SecretStored', data: { actor: 'ada', name: 'TOKEN' }, metadata: { actor: ada } },
      { type: 'SecretRemoved', data: { actor: 'ada', name: 'TOKEN' }, metadata: { actor: ada } },
      { type: 'SecretStored', data: { actor: 'ada', name: 'TOKEN', agent: 'creator' }, metadata: { actor: ada } },
    ]);
  });

  it('has the hosts of its repositories, in the row that the agent uses', async () => {
    const stored = await secrets.put({ tenant }, 'TOKEN', VALUE, ada, ['github.com']);
    expect(stored).toMatchObject({ repositoryHosts: ['github.com'] });
    expect(await secrets.list(tenant)).toEqual([stored]);
    const read = (agent: string) => secrets.readForRepository({ tenant, agent }, 'TOKEN');
    expect(await read('creator')).toEqual({ value: VALUE, repositoryHosts: ['github.com'] });
    await secrets.put({ tenant, agent: 'creator' }, 'TOKEN', `${VALUE} 2`, ada);
    expect(await read('creator')).toEqual({ agent: 'creator', value: `${VALUE} 2`, repositoryHosts: [] });
    expect(await secrets.findForRepository({ tenant, agent: 'other' }, 'TOKEN')).toEqual({
      repositoryHosts: ['github.com'],
    });
    expect(await secrets.findForRepository({ tenant: 'foreign', agent: 'other' }, 'TOKEN')).toBeUndefined();
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    expect(await read('other')).toEqual({ value: VALUE, repositoryHosts: [] });
    const events = await log.read(`secrets-${tenant}`);
    expect(
      events.map(({ data, schemaVersion }) => [schemaVersion, (data as { repositoryHosts?: unknown }).repositoryHosts]),
    ).toEqual([
      [2, ['github.com']],
      [2, undefined],
      [2, undefined],
    ]);
  });

  it('cannot be decrypted after its hosts were changed in the database, and the difference to the log is named', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada, ['github.com']);
    const setHosts = (hosts: readonly string[]) =>
      pools.owner.query(`UPDATE phaseline.secrets SET repository_hosts = $2 WHERE tenant = $1`, [tenant, hosts]);
    await setHosts(['git.example.org', 'github.com']);
    await expect(secrets.readForRepository({ tenant, agent: 'creator' }, 'TOKEN')).rejects.toThrow(SecretsUnavailable);
    expect(await compareSecrets(pools.service)).toEqual([
      `TOKEN of tenant ${tenant} has the hosts git.example.org, github.com, but github.com in the log`,
    ]);
    await setHosts(['github.com']);
    expect(await compareSecrets(pools.service)).toEqual([]);
  });

  it('cannot be decrypted in another row', async () => {
    await secrets.put({ tenant }, 'TOKEN', VALUE, ada);
    await secrets.put({ tenant }, 'OTHER', 'another value', ada);
    await pools.owner.query(
      `UPDATE phaseline.secrets SET encrypted = (SELECT encrypted FROM phaseline.secrets WHERE tenant = $1 AND name = 'TOKEN')
       WHERE tenant = $1 AND name = 'OTHER'`,
      [tenant],
    );
    await expect(secrets.read({ tenant, agent: 'creator' }, ['OTHER'])).rejects.toThrow(SecretsUnavailable);
    expect(await secrets.findUnreadable()).toEqual([`OTHER of tenant ${tenant}`]);
    await secrets.remove({ tenant }, 'OTHER', ada);
  });
});

describe('a secret is refused', () => {
  it.each([
    ['too short', '1234567'],
    ['too long', 'x'.repeat(65_537)],
    ['not text', 'a\0bcdefgh'],
  ])('if it is %s', async (_what, value) => {
    await expect(secrets.put({ tenant }, 'TOKEN', value, ada)).rejects.toThrow(SecretInvalid);
    expect(await log.read(`secrets-${tenant}`)).toEqual([]);
  });

  it('without a master key', async () => {
    await expect(open(MasterKeys.none).put({ tenant }, 'TOKEN', VALUE, ada)).rejects.toThrow(
      /PHASELINE_MASTER_KEY_FILE/,
    );
  });
});

it('removing an unknown secret fails and is not recorded', async () => {
  await expect(secrets.remove({ tenant }, 'TOKEN', ada)).rejects.toThrow(SecretMissing);
  expect(await log.read(`secrets-${tenant}`)).toEqual([]);
});

it('a new master key takes over all values, and those of an unknown key are named', async () => {
  const [first, second] = [MasterKeys.generate(), MasterKeys.generate()];
  await secrets.put({ tenant }, 'LOST', VALUE, ada);
  await open(MasterKeys.parse(first)).put({ tenant }, 'TOKEN', VALUE, ada, ['github.com']);
  const result = await open(MasterKeys.parse(`${second},${first}`)).rewrap();
  expect(result.rewrapped).toBe(1);
  expect(result.unreadable).toContain(`LOST of tenant ${tenant}`);
  expect(await open(MasterKeys.parse(second)).read({ tenant, agent: 'a' }, ['TOKEN'])).toEqual({ TOKEN: VALUE });
});

it('the comparison with the log names rows that were removed or added by hand', async () => {
  await secrets.put({ tenant }, 'GONE', VALUE, ada);
  await secrets.put({ tenant, agent: 'creator' }, 'KEPT', VALUE, ada);
  expect(await compareSecrets(pools.service)).toEqual([]);
  await pools.owner.query(`UPDATE phaseline.secrets SET name = 'FORGED' WHERE tenant = $1 AND name = 'GONE'`, [tenant]);
  expect(await compareSecrets(pools.service)).toEqual([
    `FORGED of tenant ${tenant} is not in the log`,
    `GONE of tenant ${tenant} is missing`,
  ]);
});
