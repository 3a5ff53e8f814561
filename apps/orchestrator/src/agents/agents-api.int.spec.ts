import { PhaselineClient, UnknownAgent, type AgentValidation } from '@phaseline/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOrchestrator, type OrchestratorForSpecs } from '../testing/orchestrator-for-specs.js';

let orchestrator: OrchestratorForSpecs;
let client: PhaselineClient;
beforeAll(async () => {
  orchestrator = await startOrchestrator();
  client = new PhaselineClient({ baseUrl: orchestrator.url, retries: 0 });
});
afterAll(() => orchestrator.stop());

const VALID = 'name: checked\ndisplayName: Checked\nworkflow: short\ntools: { workspace: [read_file, write_file] }\n';

function validate(yaml: string, more: Readonly<Record<string, string>> = {}): Promise<AgentValidation> {
  return client.validateAgent({ name: 'checked', files: { 'agent.yaml': yaml, ...more } });
}

describe('the agents of a server', () => {
  it('are listed with what a submission needs and what limits it', async () => {
    const { items } = await client.agents();
    expect(items.map(({ name, requires, budgets }) => ({ name, requires, budgets }))).toEqual([
      {
        name: 'reader',
        requires: { documents: 1, instructions: true, parameters: ['region'] },
        budgets: {},
      },
      { name: 'writer', requires: undefined, budgets: { maxCostUsd: 5 } },
    ]);
  });

  it('are described as new jobs get them', async () => {
    const agent = await client.agent('writer');
    expect(agent).toMatchObject({
      ...{ name: 'writer', displayName: 'Writer', workflow: 'short', instructions: '# Write well\n' },
      models: { strategic: 'default', tactical: 'default' },
      tools: { workspace: ['read_file'], strategic: ['todo_write', 'todo_complete', 'job_complete'] },
      definition: { limits: { steps: 200 }, budgets: { maxCostUsd: 5 } },
      problems: [],
    });
    expect(agent.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^deliverables: no tool in tools\.workspace writes files/),
    ]);
    await expect(client.agent('nobody')).rejects.toBeInstanceOf(UnknownAgent);
  });
});

describe('files of an agent', () => {
  it('are valid with a placeholder for the instructions, and nothing is stored', async () => {
    expect(await validate(VALID)).toEqual({ passed: true, problems: [], warnings: [] });
    expect((await client.agents()).items).toHaveLength(2);
  });

  it('have problems with their place, and names that are unknown here', async () => {
    const broken = VALID.replace('write_file', 'write_fil').replace('short', 'shorts');
    const { passed, problems } = await validate(broken);
    expect(passed).toBe(false);
    expect(problems.map(({ file, line, message }) => [file, line, message.split(';')[0]])).toEqual([
      ['agent.yaml', 3, "workflow: there is no workflow 'shorts'"],
      ['agent.yaml', 4, "tools.workspace.1: there is no tool 'write_fil'"],
    ]);
  });

  it('may extend an agent of the server, and have files of their own', async () => {
    const extending = 'extends: writer\nname: checked\ndisplayName: Checked\n';
    expect(await validate(extending, { 'schemas/a.json': '{ "type": "object" }\n' })).toMatchObject({ passed: true });
    expect(await validate(extending, { 'schemas/a.json': '{' })).toMatchObject({
      problems: [expect.objectContaining({ file: 'schemas/a.json' })],
    });
  });

  it('cannot leave their folder', async () => {
    for (const path of ['../agent.yaml', '/etc/agent.yaml', 'a/../../b', '.hidden'])
      await expect(validate(VALID, { [path]: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await validate(`${VALID}instructions: ../../etc/passwd\n`)).toMatchObject({ passed: false });
  });
});
