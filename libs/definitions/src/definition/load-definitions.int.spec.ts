import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidDefinitions } from '../definition-errors.js';
import {
  loadDefinitions,
  loadModelProfiles,
  type Definitions,
  type KnownTool,
  type LoadOptions,
} from './load-definitions.js';

const modelSchema = z.strictObject({ name: z.string(), model: z.string(), contextTokens: z.int() });
type Model = z.infer<typeof modelSchema>;

const workflow = `
name: simple
version: 1
start: plan
states:
  plan:
    kind: strategic
    title: Plan
    todos: [Think]
    finish: done
    outcomes:
      done: { end: completed }
`;
const agent = `
name: writer
displayName: Writer
workflow: simple
models: { strategic: small, tactical: small }
tools: { domain: [cite_document] }
`;

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'definitions-'));
  await write({
    'workflows/simple.yaml': workflow,
    'agents/writer/agent.yaml': agent,
    'agents/writer/instructions.md': '# Write\n',
    'models/small.yaml': 'name: small\nmodel: ${M:-s}\ncontextTokens: 4096\n',
  });
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function write(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

function load(options: Partial<LoadOptions<Model>> = {}): Promise<Definitions<Model>> {
  return loadDefinitions({
    agentsDir: join(root, 'agents'),
    workflowsDir: join(root, 'workflows'),
    modelsDir: join(root, 'models'),
    modelSchema,
    ...options,
  });
}

const TOOLS: readonly KnownTool[] = [
  { name: 'todo_write', traits: ['not_nestable', 'strategic_only'] },
  { name: 'todo_complete' },
  { name: 'todo_rewind', traits: ['tactical_only'] },
  { name: 'job_complete', traits: ['strategic_only'] },
  { name: 'cite_document' },
];

/** Problems of a load, with paths relative to the root. */
async function loadProblems(options: Partial<LoadOptions<Model>> = {}): Promise<string[]> {
  const error: unknown = await load(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (!(error instanceof InvalidDefinitions)) throw error;
  return error.message
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replaceAll(`${root}/`, ''));
}

describe('loading definitions', () => {
  it('returns agents with their instructions, workflows and filled-in models, each with a hash', async () => {
    const { agents, workflows, models } = await load({
      variables: { M: 'big' },
      tools: TOOLS,
    });
    expect(agents.get('writer')).toMatchObject({
      definition: { name: 'writer', workflow: 'simple', todos: { min: 5, max: 20 } },
      instructions: '# Write\n',
    });
    expect(workflows.names).toEqual(['simple']);
    expect(models.get('small').definition).toEqual({ name: 'small', model: 'big', contextTokens: 4096 });
    expect(agents.get('writer').hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('changes the hash of an agent when only its instructions change', async () => {
    const before = (await load()).agents.get('writer').hash;
    expect((await load()).agents.get('writer').hash).toBe(before);
    await write({ 'agents/writer/instructions.md': '# Write better\n' });
    expect((await load()).agents.get('writer').hash).not.toBe(before);
  });

  it('reads the files of prompts, and changes the hash when one changes', async () => {
    const withPrompts = `${agent}prompts: { tactical: prompts/work.md, summary: prompts/sum.md }\n`;
    await write({
      'agents/writer/agent.yaml': withPrompts,
      'agents/writer/prompts/work.md': '\nWork like a clerk.\n',
      'agents/writer/prompts/sum.md': 'Summarise.\n',
    });
    const { definition, hash, sources } = (await load()).agents.get('writer');
    expect(definition.promptTexts).toEqual({ tactical: 'Work like a clerk.', summary: 'Summarise.' });
    expect(sources).toContain(join(root, 'agents/writer/prompts/work.md'));
    await write({ 'agents/writer/prompts/sum.md': 'Summarise well.\n' });
    expect((await load()).agents.get('writer').hash).not.toBe(hash);
  });

  it.each([
    ['a file that is missing', 'prompts: { tactical: prompts/none.md }', /none\.md/],
    [
      'a file elsewhere',
      'prompts: { tactical: ../../secret.md }',
      /agent\.yaml:7.*prompts\.tactical: expected a file beside this one/,
    ],
    [
      'a text of the system',
      'promptTexts: { tactical: Obey. }',
      /promptTexts: is filled in by the system; name the files under 'prompts'/,
    ],
    [
      'a text that is too long',
      'prompts: { tactical: long.md }',
      /long\.md:1:1: expected at most 32000 characters, found 32001/,
    ],
  ])('rejects as a prompt %s', async (_case, line, message) => {
    await write({ 'agents/writer/agent.yaml': `${agent}${line}\n`, 'agents/writer/long.md': 'x'.repeat(32_001) });
    expect((await loadProblems()).join('\n')).toMatch(message);
  });

  it('reads the vocabularies of an agent into the files of its jobs, and rejects unknown and broken ones', async () => {
    const named = `${agent}settings: { documents: { vocabularies: [harbour, gdpr] } }\n`;
    const harbour =
      'name: harbour\ntitle: Harbour rules\ndescription: Rules of a harbour.\n' +
      'topics: [{ id: berths, title: Berths, terms: [{ term: berth, weight: 0.8 }] }]\n';
    await write({ 'agents/writer/agent.yaml': named });
    expect((await loadProblems()).join('\n')).toMatch(
      /agent\.yaml:7.*settings\.documents\.vocabularies\.0: there is no vocabulary 'harbour'; known: gdpr, gobd/,
    );
    await write({ 'agents/writer/vocabularies/harbour.yaml': harbour });
    const { files, hash } = (await load()).agents.get('writer');
    expect(files?.map(({ path }) => path).join()).toContain('harbour');
    await write({ 'agents/writer/vocabularies/harbour.yaml': harbour.replace('berth', 'quay') });
    expect((await load()).agents.get('writer').hash).not.toBe(hash);
    await write({ 'agents/writer/vocabularies/harbour.yaml': 'name: harbour\n' });
    expect((await loadProblems()).join('\n')).toMatch(/vocabularies\/harbour\.yaml:1/);
  });

  it('keeps tool settings unchanged, including names of secrets, and rejects run_command without settings', async () => {
    const commands = agent.replace('cite_document', 'cite_document, run_command');
    await write({ 'agents/writer/agent.yaml': commands });
    expect(await loadProblems()).toEqual([
      "agents/writer/agent.yaml:6:34: tools.domain.1: 'run_command' needs 'settings.commands'; list the allowed programs there",
    ]);
    await write({ 'agents/writer/agent.yaml': `${commands}settings: { commands: { effect: once } }\n` });
    expect((await loadProblems()).join()).toContain("expected programs under 'allow', or 'shell: true'");
    const server = "{ command: x, env: { TOKEN: '${HOME}' } }";
    await write({
      'agents/writer/agent.yaml': `${commands}settings: { commands: { allow: [make] }, mcp: { servers: { a: ${server} } } }\n`,
    });
    const { settings } = (await load({ variables: { HOME: 'filled' } })).agents.get('writer').definition;
    expect(settings).toMatchObject({ commands: { allow: ['make'], shell: false, effect: 'once' } });
    expect(settings!.mcp!.servers['a']).toMatchObject({ env: { TOKEN: '${HOME}' }, phases: ['tactical'] });
  });

  it('reports all files together, and a broken workflow only in its own file', async () => {
    await write({
      'workflows/simple.yaml': 'name: simple\nversion: one\n',
      'models/small.yaml': 'model: [\n',
      'agents/other/agent.yaml': 'name: other\n',
      'agents/other/instructions.md': 'x',
    });
    expect(await loadProblems()).toEqual([
      'workflows/simple.yaml:2:10: version: expected a number, found the text "one"',
      expect.stringMatching(/^workflows\/simple\.yaml:1:1: start: missing/),
      expect.stringMatching(/^workflows\/simple\.yaml:1:1: states: missing/),
      expect.stringMatching(/^models\/small\.yaml:\d:\d+: not valid YAML/),
      expect.stringMatching(/^agents\/other\/agent\.yaml:1:1: displayName: missing/),
      expect.stringMatching(/^agents\/other\/agent\.yaml:1:1: tools: missing/),
    ]);
  });

  it('reports names that do not exist, with the line', async () => {
    await write({
      'agents/writer/agent.yaml':
        'name: writer\ndisplayName: W\nworkflow: simpel\nmodels:\n  tactical: large\n  strategic: small\ntools:\n  domain:\n    - cite_docment\n',
    });
    expect(
      await loadProblems({
        tools: TOOLS,
      }),
    ).toEqual([
      "agents/writer/agent.yaml:3:11: workflow: there is no workflow 'simpel'; did you mean 'simple'?; known: simple",
      "agents/writer/agent.yaml:5:13: models.tactical: there is no model profile 'large'; known: small",
      expect.stringMatching(
        /^agents\/writer\/agent\.yaml:9:7: tools\.domain\.0: there is no tool 'cite_docment'; did you mean 'cite_document'\?; known: .*/,
      ),
    ]);
  });

  it('rejects a tool in phases that its traits forbid, and other tools only if told so', async () => {
    await write({
      'agents/writer/agent.yaml':
        'name: writer\ndisplayName: W\nworkflow: simple\nmodels: { strategic: small, tactical: small }\ntools:\n  workspace: [todo_rewind]\n  strategic: [todo_rewind, todo_complete]\n  tactical: [todo_write]\n  domain: [job_complete, own_tool]\n',
    });
    const wrongPhases = [
      "agents/writer/agent.yaml:6:15: tools.workspace.0: 'todo_rewind' cannot be used in strategic phases; list it under 'tools.tactical' or 'tools.domain'",
      "agents/writer/agent.yaml:7:15: tools.strategic.0: 'todo_rewind' cannot be used in strategic phases; list it under 'tools.tactical' or 'tools.domain'",
      "agents/writer/agent.yaml:8:14: tools.tactical.0: 'todo_write' cannot be used in tactical phases; list it under 'tools.strategic'",
      "agents/writer/agent.yaml:9:12: tools.domain.0: 'job_complete' cannot be used in tactical phases; list it under 'tools.strategic'",
    ];
    expect((await loadProblems({ tools: TOOLS })).slice(0, 4)).toEqual(wrongPhases);
    expect((await loadProblems({ tools: TOOLS })).slice(4).join()).toContain("there is no tool 'own_tool'");
    expect(await loadProblems({ tools: TOOLS, allowOtherTools: true })).toEqual(wrongPhases);
  });

  it('offers work to a phase that plans only if the agent says that this is unsafe', async () => {
    const planning =
      'name: writer\ndisplayName: W\nworkflow: simple\nmodels: { strategic: small, tactical: small }\ntools: { strategic: [cite_document] }\n';
    const tools = TOOLS.map((tool) =>
      tool.name === 'cite_document' ? { ...tool, traits: ['tactical_only'] as const } : tool,
    );
    await write({ 'agents/writer/agent.yaml': planning });
    expect((await loadProblems({ tools })).join()).toContain("'cite_document' cannot be used in strategic phases");
    await write({ 'agents/writer/agent.yaml': `${planning}unsafe: { phases: true }\n` });
    expect(await loadProblems({ tools })).toEqual([]);
  });

  it('rejects an agent that cannot read where its workflow demands it', async () => {
    const demanding = workflow.replace('[Think]', '[{ content: Think, checks: [{ not: { read: { path: a.md } } }] }]');
    await write({ 'workflows/simple.yaml': demanding });
    expect(await loadProblems()).toEqual([
      "agents/writer/agent.yaml:6:8: tools: the workflow 'simple' demands in strategic phases that files are read; add 'read_file' to 'tools.workspace' or 'tools.strategic'",
    ]);
    const withTools = (tools: string): string => agent.replace('{ domain: [cite_document] }', tools);
    await write({ 'agents/writer/agent.yaml': withTools('{ domain: [read_file] }') });
    expect(await loadProblems()).toHaveLength(1);
    for (const group of ['workspace', 'strategic']) {
      await write({ 'agents/writer/agent.yaml': withTools(`{ ${group}: [read_file] }`) });
      expect((await load()).agents.names).toEqual(['writer']);
    }
  });

  it('rejects an agent that starts by itself and demands inputs', async () => {
    await write({
      'agents/writer/agent.yaml':
        'name: writer\ndisplayName: W\nworkflow: simple\nmodels: { strategic: small, tactical: small }\ntools: {}\nstartWhen: { cache: open }\nrequires: { documents: 1 }\n',
    });
    expect(await loadProblems()).toEqual([
      "agents/writer/agent.yaml:7:11: requires: an agent with 'startWhen' starts by itself, so nobody gives it inputs; remove one of the two",
    ]);
  });

  it('rejects a name that differs from the file or directory', async () => {
    await write({
      'agents/writer/agent.yaml': agent.replace('name: writer', 'name: painter'),
      'workflows/other.yaml': workflow,
      'models/other.yaml': 'name: small\nmodel: x\ncontextTokens: 1\n',
    });
    expect(await loadProblems()).toEqual([
      "workflows/other.yaml:2:7: name: expected 'other' like the name of the file, found 'simple'",
      "models/other.yaml:1:7: name: expected 'other' like the name of the file, found 'small'",
      "agents/writer/agent.yaml:2:7: name: expected 'writer' like the name of the directory, found 'painter'",
    ]);
  });

  it('rejects two files with the same name', async () => {
    await write({ 'models/small.yml': 'model: x\ncontextTokens: 1\n' });
    expect(await loadProblems()).toEqual([
      'models/small.yml: expected one file per name, also found models/small.yaml',
    ]);
  });

  it('reports a missing or empty directory, agent file or instructions file', async () => {
    await rm(join(root, 'models'), { recursive: true });
    await mkdir(join(root, 'agents/empty'));
    await write({ 'agents/writer/instructions.md': ' \n' });
    expect(await loadProblems()).toEqual([
      'models: expected the directory of the models, but it cannot be read (ENOENT)',
      'agents/empty/agent.yaml: expected a file here, found none',
      "agents/writer/agent.yaml:5:22: models.strategic: there is no model profile 'small'; known: none",
      "agents/writer/agent.yaml:5:39: models.tactical: there is no model profile 'small'; known: none",
      'agents/writer/instructions.md:1:1: expected instructions for the agent, found an empty file',
    ]);
  });

  it.each(['../secret.md', 'a/../../secret.md', '/etc/passwd', '"a\\0b"'])(
    'does not read %s as instructions',
    async (path) => {
      await write({ 'agents/secret.md': 'secret', 'agents/writer/agent.yaml': `${agent}instructions: ${path}\n` });
      expect(await loadProblems()).toEqual([
        expect.stringMatching(
          /^agents\/writer\/agent\.yaml:7:\d+: (instructions: expected a file beside this one|not valid YAML)/,
        ),
      ]);
    },
  );

  it('follows links that stay inside, as in mounted volumes, but not those that lead out', async () => {
    await write({
      'outside/secret.md': 'secret',
      'outside/agent.yaml': agent,
      'agents/writer/..data/text.md': 'inside',
    });
    await rm(join(root, 'agents/writer/instructions.md'));
    await symlink('..data/text.md', join(root, 'agents/writer/instructions.md'));
    expect((await load()).agents.get('writer').instructions).toBe('inside');

    await rm(join(root, 'agents/writer/instructions.md'));
    await symlink('../../outside/secret.md', join(root, 'agents/writer/instructions.md'));
    await symlink(join(root, 'outside'), join(root, 'agents/linked'));
    expect(await loadProblems()).toEqual([
      expect.stringMatching(
        /^agents\/linked\/agent\.yaml: expected a file inside agents, found a link that leads out of it$/,
      ),
      expect.stringMatching(
        /^agents\/writer\/instructions\.md: expected a file inside agents\/writer, found a link that leads out of it$/,
      ),
    ]);
  });

  it('rejects files that are too large, not text, not regular files, or endless', async () => {
    await write({
      'models/huge.yaml': `model: ${'x'.repeat(300_000)}`,
      'models/latin.yaml': Buffer.from('model: a\n# gr\xfcn\n', 'latin1'),
    });
    await mkdir(join(root, 'models/directory.yaml'));
    execFileSync('mkfifo', [join(root, 'models/pipe.yaml')]);
    await symlink('/dev/zero', join(root, 'models/zero.yaml'));
    expect(await loadProblems()).toEqual([
      'models/huge.yaml: expected at most 262144 bytes, found 300007',
      'models/latin.yaml:2:1: expected text in UTF-8',
      'models/pipe.yaml: expected a regular file',
      expect.stringMatching(/^models\/zero\.yaml: expected a file inside models/),
    ]);
  });

  it('ignores hidden files and files that are not YAML', async () => {
    await write({ 'models/.hidden.yaml': '[', 'models/README.md': '[', 'agents/README.md': '[', 'agents/.git/x': '[' });
    expect(await loadProblems()).toEqual([]);
  });

  it('loads only model profiles', async () => {
    const models = await loadModelProfiles(join(root, 'models'), modelSchema);
    expect(models.get('small').definition.model).toBe('s');
    await expect(loadModelProfiles(join(root, 'nowhere'), modelSchema)).rejects.toMatchObject({
      code: 'definitions_invalid',
    });
  });
});

it('files of which an agent demands something name schemas and verifiers that it has', async () => {
  const demands = `deliverables: [{ path: a.json, verifier: units }]
todos: { min: 1, outputs: [{ path: 'src/**', verifier: unit, jsonSchema: schemas/a.json }] }
`;
  await write({
    'agents/writer/agent.yaml': `${agent}${demands}`,
    'agents/writer/verifiers/unit.yaml': 'name: unit\nargv: [node, --test]\n',
  });
  expect(await loadProblems()).toEqual([
    expect.stringMatching(
      /agent\.yaml:\d+:\d+: deliverables\.0\.verifier: there is no verifier 'units' beside this file; known: unit$/,
    ),
    expect.stringContaining("todos.outputs.0.jsonSchema: there is no schema 'schemas/a.json' beside this file"),
  ]);
});

describe('a workflow whose states name agents', () => {
  const named = workflow.replace('    kind: strategic', '    agent: writer\n    kind: strategic');

  it('needs agents that exist and say what they return', async () => {
    await write({ 'workflows/simple.yaml': named.replace('agent: writer', 'agent: writter') });
    expect(await loadProblems()).toEqual([
      expect.stringMatching(
        /simple\.yaml:\d+:\d+: states\.plan\.agent: there is no agent 'writter'; did you mean 'writer'\?$/,
      ),
    ]);
    await write({ 'workflows/simple.yaml': named });
    expect(await loadProblems()).toEqual([
      expect.stringContaining("states.plan.agent: the agent 'writer' has no 'returns' in its agent.yaml"),
    ]);
    await write({ 'agents/writer/agent.yaml': `${agent}returns: { schema: schemas/return.json }\n` });
    expect(await loadProblems()).toContainEqual(
      expect.stringContaining("returns.schema: there is no schema 'schemas/return.json' beside this file"),
    );
    await write({ 'agents/writer/schemas/return.json': '{"type":"object"}' });
    expect((await load()).agents.get('writer').definition.returns).toEqual({
      schema: 'schemas/return.json',
      maxTokens: 1_000,
    });
  });
});

describe('a workflow whose checks name what agents have', () => {
  const checked = workflow
    .replace('[Think]', '[Think, { content: Write, checks: [{ any: [{ verifier: unit }, { judge: style }] }] }]')
    .replace(
      'done: { end: completed }',
      `done: { end: completed, checks: [{ file: { path: a.json, jsonSchema: schemas/a.json } }, { judge: diff-review }] }
      other: { to: plan, when: [{ verifier: lint }], todos: [{ content: Again, checks: [{ proof: units }] }] }`,
    );

  it('needs one of the agents that run the state to have each of them', async () => {
    await write({ 'workflows/simple.yaml': checked });
    const at = (path: string, what: string) =>
      expect.stringMatching(new RegExp(`simple\\.yaml:\\d+:\\d+: ${path}: the agent 'writer' has no ${what}; known: `));
    expect(await loadProblems()).toEqual([
      at('states.plan.todos.1.checks.0', "verifier 'unit'"),
      at('states.plan.todos.1.checks.0', "judge 'style'"),
      at('states.plan.outcomes.done.checks.0', "schema 'schemas/a.json'"),
      at('states.plan.outcomes.other.when.0', "verifier 'lint'"),
      at('states.plan.outcomes.other.todos.0.checks.0', "verifier 'units'"),
    ]);
    const verifier = (name: string) => ({ [`agents/other/verifiers/${name}.yaml`]: `name: ${name}\nargv: [make]\n` });
    await write({
      'agents/other/agent.yaml': `${agent.replace('writer', 'other')}judges: { style: { instructions: Look. } }\n`,
      'agents/other/instructions.md': '# Write\n',
      'agents/other/schemas/a.json': '{"type":"object"}',
      ...verifier('unit'),
      ...verifier('units'),
      ...verifier('lint'),
    });
    expect(await loadProblems()).toEqual([]);
  });
});
