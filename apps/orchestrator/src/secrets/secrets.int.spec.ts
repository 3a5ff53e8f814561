import { PhaselineClient } from '@phaseline/client';
import { createPool, MasterKeys } from '@phaseline/event-store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

const VALUE = 'the value of a secret in a spec';
/** An agent whose tools need two secrets. */
const USER = {
  'agents/user/agent.yaml': `
name: user
displayName: User
workflow: short
tools: { domain: [run_command] }
settings:
  commands: { allow: [node], secrets: [TOKEN, OTHER] }
`,
  'agents/user/instructions.md': '# Use them\n',
  'agents/checked/agent.yaml': `
name: checked
displayName: Checked
workflow: short
tools: { domain: [] }
`,
  'agents/checked/instructions.md': '# Do it\n',
  'agents/checked/verifiers/api.yaml': `
name: api
argv: [node, check.mjs]
env: { KEY: '\${secret:CHECK_KEY}' }
secrets: [CHECK_KEY]
`,
};
let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;

beforeAll(async () => {
  orchestrator = await startOrchestrator({ PHASELINE_MASTER_KEY: MasterKeys.generate() }, { files: USER });
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

describe('secrets', () => {
  it('are stored, listed by tenant without their values, and removed', async () => {
    const repositoryHosts = ['GitHub.com', 'git.example.org:8443', 'github.com'];
    const request = { value: VALUE, tenant: 'acme', agent: 'writer', repositoryHosts };
    const stored = await client.secrets.store('TOKEN', request);
    expect(stored).toMatchObject({
      ...{ tenant: 'acme', name: 'TOKEN', agent: 'writer' },
      repositoryHosts: ['git.example.org:8443', 'github.com'],
    });
    expect(await client.secrets.list({ tenant: 'acme' })).toEqual([stored]);
    expect(await client.secrets.list()).toEqual([]);
    expect(JSON.stringify(stored)).not.toContain(VALUE);
    await expect(client.secrets.remove('TOKEN', { tenant: 'acme' })).rejects.toMatchObject({
      code: 'secret_not_found',
    });
    await client.secrets.remove('TOKEN', { tenant: 'acme', agent: 'writer' });
    expect(await client.secrets.list({ tenant: 'acme' })).toEqual([]);
  });

  it.each([
    ['a value that is too short', 'TOKEN', { value: 'abc1234' }, 'value'],
    ['a name with a blank', 'MY TOKEN', { value: VALUE }, 'name'],
    ['an unknown member', 'TOKEN', { value: VALUE, vaule: 1 }, ''],
    ['a host with a protocol', 'TOKEN', { value: VALUE, repositoryHosts: ['https://github.com'] }, 'repositoryHosts'],
    ['a tenant that is no name', 'TOKEN', { value: VALUE, tenant: '*' }, 'tenant'],
  ])('are refused with %s, and the value is not repeated', async (_what, name, body, path) => {
    const response = await fetch(`${orchestrator.url}/v1/secrets/${encodeURIComponent(name)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 400, text: expect.stringContaining(path) });
    expect(text).not.toContain(body.value);
  });
});

it('a job whose tenant lacks a secret that its agent needs is refused, and nothing of it is stored', async () => {
  const submit = (tenant: string): Promise<unknown> => client.submit({ agent: 'user', instructions: 'Go.', tenant });
  await client.secrets.store('TOKEN', { value: VALUE, tenant: 'acme' });
  await client.secrets.store('OTHER', { value: VALUE, tenant: 'acme', agent: 'writer' });
  await client.secrets.store('OTHER', { value: VALUE, tenant: 'beta' });
  await expect(submit('acme')).rejects.toMatchObject({
    code: 'inputs_missing',
    message: expect.stringMatching(/the secret OTHER.*phaseline secrets set OTHER --tenant acme/),
  });
  expect((await client.listPage()).items).toEqual([]);
  await client.secrets.store('OTHER', { value: VALUE, tenant: 'acme', agent: 'user' });
  expect(await submit('acme')).toMatchObject({ created: true });
});

it('a job whose tenant lacks the secret of a verifier is refused', async () => {
  const submit = (): Promise<unknown> => client.submit({ agent: 'checked', tenant: 'epsilon' });
  await expect(submit()).rejects.toMatchObject({
    code: 'inputs_missing',
    message: expect.stringMatching(/the secret CHECK_KEY.*phaseline secrets set CHECK_KEY --tenant epsilon/),
  });
  await client.secrets.store('CHECK_KEY', { value: VALUE, tenant: 'epsilon', agent: 'user' });
  await expect(submit()).rejects.toMatchObject({ code: 'inputs_missing' });
  await client.secrets.store('CHECK_KEY', { value: VALUE, tenant: 'epsilon' });
  expect(await submit()).toMatchObject({ created: true });
});

it('a job whose tenant lacks the secret of its repository for the agent and the host is refused, and nothing of it is stored', async () => {
  const repository = { url: 'https://git.example.org/own/name.git', secret: 'GIT_TOKEN' };
  const submit = (tenant: string, url = repository.url): Promise<unknown> =>
    client.submit({ agent: 'writer', tenant, repository: { ...repository, url } });
  const repositoryHosts = ['git.example.org', 'git.example.org:2222'];
  const pool = createPool(orchestrator.databaseUrls.service, { max: 1 });
  onTestFinished(() => pool.end());
  const countJobs = async (): Promise<unknown> =>
    (await pool.query(`SELECT count(*) AS n FROM phaseline.events WHERE type = 'JobSubmitted'`)).rows;
  const before = await countJobs();
  await client.secrets.store('GIT_TOKEN', { value: VALUE, tenant: 'delta', repositoryHosts });
  await client.secrets.store('GIT_TOKEN', { value: VALUE, tenant: 'gamma', agent: 'user', repositoryHosts });
  await expect(submit('gamma')).rejects.toMatchObject({
    ...{ code: 'inputs_missing', errors: [expect.objectContaining({ path: 'repository.secret' })] },
    message: expect.stringMatching(/the secret GIT_TOKEN for its repository.*secrets set GIT_TOKEN --tenant gamma/),
  });
  expect(await countJobs()).toEqual(before);
  await client.secrets.store('GIT_TOKEN', { value: VALUE, tenant: 'gamma', agent: 'writer' });
  await expect(submit('gamma')).rejects.toMatchObject({
    ...{ code: 'inputs_missing', errors: [expect.objectContaining({ path: 'repository.secret' })] },
    message: expect.stringMatching(
      /GIT_TOKEN for its repository on git\.example\.org, and .*secrets set GIT_TOKEN --tenant gamma --agent writer --repository-host git\.example\.org\)/,
    ),
  });
  await client.secrets.store('GIT_TOKEN', { value: VALUE, tenant: 'gamma', agent: 'writer', repositoryHosts });
  for (const url of [
    'https://attacker.example/own/name.git',
    'https://git.example.org.attacker.example/own/name.git',
    'https://sub.git.example.org/own/name.git',
    'https://git.example.org:8443/own/name.git',
    'https://attacker.example\\@git.example.org/own/name.git',
    'git@attacker.example:own/name.git',
  ])
    await expect(submit('gamma', url), url).rejects.toMatchObject({ code: 'inputs_missing' });
  expect(await countJobs()).toEqual(before);
  for (const url of ['https://GIT.example.org:443/own/name.git', 'ssh://git@git.example.org:2222/own/name.git'])
    expect(await submit('gamma', url), url).toMatchObject({ created: true });
  for (const tenant of ['gamma', 'delta']) expect(await submit(tenant)).toMatchObject({ created: true });
});

it('cannot be stored without a master key', async () => {
  const without = await startOrchestrator({});
  try {
    const other = new PhaselineClient({ baseUrl: without.url, retries: 0 });
    await expect(other.secrets.store('TOKEN', { value: VALUE })).rejects.toMatchObject({
      code: 'encryption_unavailable',
    });
  } finally {
    await without.stop();
  }
});
