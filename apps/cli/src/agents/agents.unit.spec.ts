import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { projectRoot } from '../stack/project-files.js';
import { fakeHost } from '../testing/fake-streams.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function agents(command: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string }> {
  const host = fakeHost({ env, currentDirectory: folder });
  return { code: await runCli(['agents', ...command.split(' ')], host), out: host.stdout.text };
}

describe('the definitions that ship', () => {
  it('are valid and hold the creator', async () => {
    const { code, out } = await agents('validate');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^All definitions are valid: \d+ agents?, /) as string,
    });
    expect((await agents('list')).out).toMatch(/^creator\s+phase-alternation\s+default\s+/m);
  });
});

describe('PHASELINE_AGENTS_DIR', () => {
  async function mine(): Promise<void> {
    await cp(join(projectRoot, 'agents', 'creator'), join(folder, 'mine', 'own'), { recursive: true });
    const file = join(folder, 'mine', 'own', 'agent.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('name: creator', 'name: own'));
  }

  it('adds to the shipped agents, and the list says where each comes from', async () => {
    await mine();
    const env = { PHASELINE_AGENTS_DIR: join(folder, 'mine') };
    const { out } = await agents('list', env);
    expect(out).toMatch(/^creator\s.*\sshipped\s/m);
    expect(out).toMatch(/^own\s.*\smine\s/m);
    expect(JSON.parse((await agents('list --json', env)).out)).toMatchObject({
      agents: expect.arrayContaining([
        expect.objectContaining({ name: 'creator', from: 'shipped' }),
        expect.objectContaining({ name: 'own', from: 'mine' }),
      ]) as unknown,
    });
  });

  it('stands alone where the shipped ones are not wanted', async () => {
    await mine();
    const env = { PHASELINE_AGENTS_DIR: join(folder, 'mine'), PHASELINE_SHIPPED_DEFINITIONS: '0' };
    const { out } = await agents('list', env);
    expect(out).not.toMatch(/^creator\s/m);
  });
});

describe('a definition that is not valid', () => {
  async function broken(...edits: readonly (readonly [string, string])[]): Promise<NodeJS.ProcessEnv> {
    await cp(join(projectRoot, 'agents'), folder, { recursive: true });
    const file = join(folder, 'creator', 'agent.yaml');
    let text = await readFile(file, 'utf8');
    for (const [from, to] of edits) text = text.replace(from, to);
    await writeFile(file, text);
    return { PHASELINE_AGENTS_DIR: folder };
  }

  it('is told with file, line and what was expected, and is exit code 1', async () => {
    const env = await broken(['workflow: phase-alternation', 'workflow: phase-alternaton']);
    const { code, out } = await agents('validate', env);
    expect(code).toBe(1);
    expect(out).toMatch(/^creator\/agent\.yaml:\d+:\d+: workflow: .*did you mean 'phase-alternation'/m);
    const asJson = await agents('validate --json', env);
    expect(JSON.parse(asJson.out)).toMatchObject({
      valid: false,
      complaints: [{ file: join(folder, 'creator/agent.yaml') }],
    });
  });

  it('is so with a tool or a model that nobody has', async () => {
    const env = await broken(['- cite_document', '- cite_documnt'], ['tactical: default', 'tactical: defualt']);
    const { code, out } = await agents('validate', env);
    expect(code).toBe(1);
    expect(out).toMatch(/tools\.domain\.3: there is no tool 'cite_documnt'; did you mean 'cite_document'\?; known: /);
    expect(out).toMatch(/models\.tactical: there is no model profile 'defualt'; .*did you mean 'default'\?/);
  });

  it('is listed as broken beside those that can be used', async () => {
    const env = await broken(['steps: 150', 'steps: many']);
    const { code, out } = await agents('list', env);
    expect(code).toBe(1);
    expect(out).toMatch(/^creator\s+broken/m);
    expect(out).toMatch(/^validator\s+phase-alternation/m);
    expect(JSON.parse((await agents('list --json', env)).out)).toMatchObject({
      broken: ['creator', 'creator-research'],
      complaints: [{ message: 'limits.steps: expected a number, found the text "many"' }],
    });
  });

  it('is asked for alone, by its name or its folder, and others do not count', async () => {
    const env = await broken(['steps: 150', 'steps: many']);
    for (const target of ['creator', './creator', join(folder, 'creator')])
      expect([target, (await agents(`validate ${target}`, env)).code]).toEqual([target, 1]);
    expect((await agents('validate validator', env)).out).toBe('The agent validator is valid.\n');
    expect((await agents('validate .', {})).code).toBe(1);
    expect((await agents('validate creatr', env)).code).toBe(4);
  });
});

describe('a definition that is allowed and hardly meant', () => {
  it('is remarked on, and changes no exit code', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(
      join(folder, 'a/agent.yaml'),
      'name: a\ndisplayName: A\ntools: { strategic: [todo_complete] }\nlimits: { steps: 3 }\napprovals: { tools: [web_search] }\n',
    );
    await writeFile(join(folder, 'a/instructions.md'), '# A\n');
    const { code, out } = await agents('validate --json', { PHASELINE_AGENTS_DIR: folder });
    const { valid, remarks } = JSON.parse(out) as { valid: boolean; remarks: { message: string }[] };
    expect([code, valid]).toEqual([0, true]);
    expect(remarks.map(({ message }) => message.split(':', 1)[0])).toEqual([
      'limits.steps',
      'tools.strategic',
      'tools.strategic',
      'approvals.tools',
    ]);
  });
});

describe('one definition', () => {
  it('is shown as it is written, and as jobs get it', async () => {
    const written = (await agents('show creator-research')).out;
    expect(written).toMatch(/^# sha-256 [0-9a-f]{64}; extends creator$/m);
    expect(written).toContain('domain+: [web_search, fetch_url, cite_web]');
    const resolved = JSON.parse((await agents('show creator-research --resolved')).out) as {
      tools: { domain: string[] };
    };
    expect(resolved.tools.domain).toEqual(expect.arrayContaining(['cite_document', 'web_search']));
    const asJson = JSON.parse((await agents('show creator-research --json')).out) as { instructions: string };
    expect(asJson.instructions).toMatch(/^# Extract the requirements[^]*\n# Research\n/);
    expect((await agents('show nobody')).code).toBe(4);
  });

  it('has a schema that editors can use', async () => {
    const schema = await readFile(join(projectRoot, 'docs/agent.schema.json'), 'utf8');
    expect((await agents('schema')).out).toBe(schema);
  });
});
