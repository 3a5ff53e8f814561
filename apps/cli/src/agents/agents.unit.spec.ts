import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { projectRoot } from '../stack/project-files.js';
import { useCommandLine } from '../testing/command-line.fixture.js';
import { createFakeHost } from '../testing/fake-streams.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function runAgents(command: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string }> {
  const host = createFakeHost({ env, currentDirectory: folder });
  return { code: await runCli(['agents', ...command.split(' ')], host), out: host.stdout.text };
}

describe('the shipped definitions', () => {
  it('are valid and include the creator', async () => {
    const { code, out } = await runAgents('validate');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^All definitions are valid: \d+ agents?, /) as string,
    });
    expect((await runAgents('list')).out).toMatch(/^creator\s+phase-alternation\s+default\s+/m);
  });
});

describe('PHASELINE_AGENTS_DIR', () => {
  async function copyCreator(): Promise<void> {
    await cp(join(projectRoot, 'agents', 'creator'), join(folder, 'mine', 'own'), { recursive: true });
    const file = join(folder, 'mine', 'own', 'agent.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('name: creator', 'name: own'));
  }

  it('adds agents to the shipped ones; the list shows where each comes from', async () => {
    await copyCreator();
    const env = { PHASELINE_AGENTS_DIR: join(folder, 'mine') };
    const { out } = await runAgents('list', env);
    expect(out).toMatch(/^creator\s.*\sshipped\s/m);
    expect(out).toMatch(/^own\s.*\smine\s/m);
    expect(JSON.parse((await runAgents('list --json', env)).out)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: 'creator', folder: 'shipped' }),
        expect.objectContaining({ name: 'own', folder: 'mine' }),
      ]) as unknown,
    });
  });

  it('replaces the shipped agents if these are switched off', async () => {
    await copyCreator();
    const env = { PHASELINE_AGENTS_DIR: join(folder, 'mine'), PHASELINE_SHIPPED_DEFINITIONS: '0' };
    const { out } = await runAgents('list', env);
    expect(out).not.toMatch(/^creator\s/m);
  });
});

describe('an invalid definition', () => {
  async function copyWithEdits(...edits: readonly (readonly [string, string])[]): Promise<NodeJS.ProcessEnv> {
    await cp(join(projectRoot, 'agents'), folder, { recursive: true });
    const file = join(folder, 'creator', 'agent.yaml');
    let text = await readFile(file, 'utf8');
    for (const [from, to] of edits) text = text.replace(from, to);
    await writeFile(file, text);
    return { PHASELINE_AGENTS_DIR: folder };
  }

  it('is reported with file, line and what was expected; exit code 1', async () => {
    const env = await copyWithEdits(['workflow: phase-alternation', 'workflow: phase-alternaton']);
    const { code, out } = await runAgents('validate', env);
    expect(code).toBe(1);
    expect(out).toMatch(/^creator\/agent\.yaml:\d+:\d+: workflow: .*did you mean 'phase-alternation'/m);
    const asJson = await runAgents('validate --json', env);
    expect(JSON.parse(asJson.out)).toMatchObject({
      passed: false,
      problems: [{ file: join(folder, 'creator/agent.yaml') }],
    });
  });

  it('includes one that names an unknown tool or model', async () => {
    const env = await copyWithEdits(['- cite_document', '- cite_documnt'], ['tactical: default', 'tactical: defualt']);
    const { code, out } = await runAgents('validate', env);
    expect(code).toBe(1);
    expect(out).toMatch(/tools\.domain\.3: there is no tool 'cite_documnt'; did you mean 'cite_document'\?; known: /);
    expect(out).toMatch(/models\.tactical: there is no model profile 'defualt'; .*did you mean 'default'\?/);
  });

  it('is listed as broken next to the usable ones', async () => {
    const env = await copyWithEdits(['steps: 150', 'steps: many']);
    const { code, out } = await runAgents('list', env);
    expect(code).toBe(1);
    expect(out).toMatch(/^creator\s+broken/m);
    expect(out).toMatch(/^validator\s+phase-alternation/m);
    expect(JSON.parse((await runAgents('list --json', env)).out)).toMatchObject({
      brokenAgents: ['creator', 'creator-research'],
      problems: [{ message: 'limits.steps: expected a number, found the text "many"' }],
    });
  });

  it('can be validated alone, by name or folder, regardless of the others', async () => {
    const env = await copyWithEdits(['steps: 150', 'steps: many']);
    for (const target of ['creator', './creator', join(folder, 'creator')])
      expect([target, (await runAgents(`validate ${target}`, env)).code]).toEqual([target, 1]);
    expect((await runAgents('validate validator', env)).out).toBe('The agent validator is valid.\n');
    expect((await runAgents('validate .', {})).code).toBe(1);
    expect((await runAgents('validate creatr', env)).code).toBe(4);
  });
});

describe('a valid definition that is probably not intended', () => {
  it('gets warnings, which do not change the exit code', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(
      join(folder, 'a/agent.yaml'),
      'name: a\ndisplayName: A\ntools: { strategic: [read_file, todo_complete] }\nlimits: { steps: 3 }\napprovals: { tools: [web_search, ask_person] }\n',
    );
    await writeFile(join(folder, 'a/instructions.md'), '# A\n');
    const { code, out } = await runAgents('validate --json', { PHASELINE_AGENTS_DIR: folder });
    const { passed, warnings } = JSON.parse(out) as { passed: boolean; warnings: { message: string }[] };
    expect([code, passed]).toEqual([0, true]);
    expect(warnings.map(({ message }) => message.split(':', 1)[0])).toEqual([
      'limits.steps',
      'tools.strategic',
      'tools.strategic',
      'approvals.tools',
      'approvals.tools',
    ]);
    expect(warnings.at(-1)!.message).toContain('a person must approve each question before it can be answered');
  });
});

describe('an agent that declares secrets', () => {
  const commandLine = useCommandLine();

  it('gets a warning for each that the tenant lacks, if a server can be asked', async () => {
    await mkdir(join(folder, 'a'));
    await writeFile(
      join(folder, 'a/agent.yaml'),
      `name: a
displayName: A
tools: { workspace: [read_file], strategic: [todo_write, todo_complete, job_complete], domain: [run_command] }
settings:
  commands: { allow: [node], secrets: [TOKEN, OTHER] }
  mcp: { servers: { tracker: { url: 'https://mcp.example.org', secrets: [THIRD] } } }
`,
    );
    await writeFile(join(folder, 'a/instructions.md'), '# A\n');
    const validate = async (url: string): Promise<{ code: number; warnings: readonly string[] }> => {
      const env = { PHASELINE_AGENTS_DIR: folder, PHASELINE_URL: url };
      const { code, out } = await runAgents('validate --tenant acme --json', env);
      const { warnings } = JSON.parse(out) as { warnings: { message: string }[] };
      return { code, warnings: warnings.map(({ message }) => message) };
    };
    // The server has the secret TOKEN.
    expect(await validate(commandLine.server.url)).toEqual({
      code: 0,
      warnings: ['OTHER', 'THIRD'].map((name) =>
        expect.stringContaining(
          `no secret ${name} that the agent a may use; store it with phaseline secrets set ${name}`,
        ),
      ),
    });
    expect(await validate('http://127.0.0.1:9')).toEqual({ code: 0, warnings: [] });
  });
});

describe('one definition', () => {
  it('is shown as written, and as jobs receive it', async () => {
    const written = (await runAgents('show creator-research')).out;
    expect(written).toMatch(/^# sha-256 [0-9a-f]{64}; extends creator$/m);
    expect(written).toContain('  domain+:\n    - web_search\n');
    const resolved = JSON.parse((await runAgents('show creator-research --resolved')).out) as {
      tools: { domain: string[] };
    };
    expect(resolved.tools.domain).toEqual(expect.arrayContaining(['cite_document', 'web_search']));
    const asJson = JSON.parse((await runAgents('show creator-research --json')).out) as { instructions: string };
    expect(asJson.instructions).toMatch(/^# Extract the requirements[^]*\n# Research\n/);
    expect((await runAgents('show nobody')).code).toBe(4);
  });

  it('has a schema that editors can use', async () => {
    const schema = await readFile(join(projectRoot, 'docs/reference/agent.schema.json'), 'utf8');
    expect((await runAgents('schema')).out).toBe(schema);
  });
});
