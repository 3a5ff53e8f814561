import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { InvalidDefinitions } from '../definition-errors.js';
import { loadDefinitions, type Definitions } from '../definition/load-definitions.js';

const workflow =
  'name: simple\nversion: 1\nstart: plan\nstates:\n  plan:\n    kind: strategic\n    title: Plan\n    todos: [Think]\n' +
  '    finish: done\n    outcomes:\n      done: { end: completed }\n';
const base = `name: base
displayName: Base
description: The one below.
workflow: simple
models: { strategic: small, tactical: small }
tools:
  workspace: [read_file]
  domain: [cite_document, chunk_document]
limits: { steps: 20, nudges: 2 }
deliverables: [output/a.md]
budgets: { maxCostUsd: 5 }
`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'extends-'));
  await write({
    'workflows/simple.yaml': workflow,
    'models/small.yaml': 'name: small\n',
    'agents/base/agent.yaml': base,
    'agents/base/instructions.md': '# Base\n',
  });
});
afterEach(() => rm(root, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

function load(): Promise<Definitions<{ name: string }>> {
  return loadDefinitions({
    agentsDir: join(root, 'agents'),
    workflowsDir: join(root, 'workflows'),
    modelsDir: join(root, 'models'),
    modelSchema: z.strictObject({ name: z.string() }),
    tools: 'read_file cite_document chunk_document web_search todo_write todo_complete todo_rewind job_complete'
      .split(' ')
      .map((name) => ({ name })),
  });
}

async function loadProblems(): Promise<string[]> {
  const error: unknown = await load().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  if (!(error instanceof InvalidDefinitions)) throw error;
  const lines = error.message.split('\n').slice(1);
  return lines.map((line) => line.trim().replaceAll(`${root}/agents/`, ''));
}

describe('several folders of agents', () => {
  const layered = (...folders: string[]) =>
    loadDefinitions({
      agentsDir: folders.map((folder) => join(root, folder)),
      workflowsDir: [join(root, 'workflows'), join(root, 'more-workflows')],
      modelsDir: [join(root, 'models'), join(root, 'more-models')],
      modelSchema: z.strictObject({ name: z.string() }),
    });

  it('a later folder adds agents and overrides those of the same name, and each agent knows its folder', async () => {
    await write({
      'agents/other/agent.yaml': base.replace('name: base', 'name: other'),
      'agents/other/instructions.md': '# Other\n',
      'mine/base/agent.yaml': 'name: base\nextends: base\nlimits: { steps: 33 }\n',
      'mine/child/agent.yaml': 'name: child\nextends: base\nmodels: { strategic: big, tactical: small }\n',
      'more-models/big.yaml': 'name: big\n',
      'more-workflows/simple.yaml': workflow.replace('name: simple', 'name: simple'),
    });
    const { agents, models, workflows } = await layered('agents', 'mine');
    expect(agents.names).toEqual(['base', 'child', 'other']);
    expect(agents.names.map((name) => agents.get(name).from.slice(root.length + 1))).toEqual([
      'mine',
      'mine',
      'agents',
    ]);
    expect(agents.get('base').definition.limits?.steps).toBe(33);
    expect(agents.get('base').instructions).toBe('# Base\n');
    expect(agents.get('child').definition.limits?.steps).toBe(33);
    expect(models.names).toEqual(['big', 'small']);
    expect(workflows.get('simple').file).toBe(join(root, 'more-workflows', 'simple.yaml'));
  });

  it('an agent that extends its own name without an earlier folder is a circle', async () => {
    await write({ 'agents/base/agent.yaml': `extends: base\n${base}` });
    await expect(layered('agents')).rejects.toThrow(/extend one another in a circle: base → base/);
  });
});

describe('an agent that extends another one', () => {
  it('has merged maps, replaced or extended lists, and no values that it empties', async () => {
    await write({
      'agents/child/agent.yaml':
        'name: child\nextends: base\nlimits:\n  steps: 30\ntools:\n  workspace: []\n  domain+: [web_search]\nbudgets:\n',
    });
    const { definition, instructions, ...loaded } = (await load()).agents.get('child');
    expect(definition).toMatchObject({
      name: 'child',
      displayName: 'Base',
      workflow: 'simple',
      limits: { steps: 30, nudges: 2 },
      tools: { workspace: [], domain: ['cite_document', 'chunk_document', 'web_search'] },
      deliverables: ['output/a.md'],
      budgets: {},
    });
    expect(definition.budgets.maxCostUsd).toBeUndefined();
    expect(instructions).toBe('# Base\n');
    expect(loaded.extends).toEqual(['base']);
  });

  it('is the same in YAML and in JSON with $extends and tabs', async () => {
    await write({
      'agents/one/agent.yaml': 'name: one\nextends: base\ntools:\n  domain+: [web_search]\n',
      'agents/two/agent.json':
        '{\n\t"$schema": "../../docs/reference/agent.schema.json",\n\t"name": "two",\n\t"$extends": "base",\n\t"tools": { "domain+": ["web_search"] }\n}\n',
    });
    const { agents } = await load();
    expect(agents.get('two').definition).toEqual({ ...agents.get('one').definition, name: 'two' });
  });

  it('may extend a file in its folder, over any number of steps', async () => {
    await write({
      'agents/child/agent.yaml': 'name: child\nextends: ./middle.yaml\n',
      'agents/child/middle.yaml': 'extends: base\ndisplayName: Middle\nlimits: { nudges: 7 }\n',
    });
    const { definition, extends: chain } = (await load()).agents.get('child');
    expect(definition).toMatchObject({ displayName: 'Middle', limits: { steps: 20, nudges: 7 } });
    expect(chain).toEqual(['middle.yaml', 'base']);
  });

  it('may replace the inherited instructions or add to them', async () => {
    await write({
      'agents/own/agent.yaml': 'name: own\nextends: base\n',
      'agents/own/instructions.md': '# Own\n',
      'agents/more/agent.yaml': 'name: more\nextends: base\ninstructions+: more.md\n',
      'agents/more/more.md': '## More\n',
    });
    const { agents } = await load();
    expect(agents.get('own').instructions).toBe('# Own\n');
    expect(agents.get('more').instructions).toBe('# Base\n\n## More\n');
  });

  it('changes its hash with what it extends, but not the hashes of others', async () => {
    await write({
      'agents/child/agent.yaml': 'name: child\nextends: base\ninstructions+: m.md\n',
      'agents/child/m.md': 'x',
    });
    const before = (await load()).agents;
    await write({ 'agents/base/instructions.md': '# Base, changed\n' });
    const after = (await load()).agents;
    expect(after.get('child').hash).not.toBe(before.get('child').hash);
    await write({ 'agents/child/m.md': 'y' });
    const last = (await load()).agents;
    expect(last.get('child').hash).not.toBe(after.get('child').hash);
    expect(last.get('base').hash).toBe(after.get('base').hash);
  });
});

describe('a problem of an agent that extends another one', () => {
  it('is reported once, in the file that contains it', async () => {
    await write({
      'agents/base/agent.yaml': base.replace('steps: 20', 'steps: many').replace('chunk_document', 'chunk_documnt'),
      'agents/child/agent.yaml': 'name: child\nextends: base\nlimits:\n  nudges: -1\n',
    });
    expect(await loadProblems()).toEqual([
      'base/agent.yaml:9:18: limits.steps: expected a number, found the text "many"',
      'child/agent.yaml:4:11: limits.nudges: expected at least 0, found the number -1',
    ]);
    await write({
      'agents/base/agent.yaml': base.replace('chunk_document', 'chunk_documnt'),
      'agents/child/agent.yaml': 'name: child\nextends: base\ntools:\n  domain+:\n    - web_serch\n  tacticle: []\n',
    });
    expect(await loadProblems()).toEqual([
      expect.stringMatching(
        /^base\/agent\.yaml:8:27: tools\.domain\.1: there is no tool 'chunk_documnt'; did you mean 'chunk_document'\?; known: .*/,
      ),
      expect.stringMatching(
        /^child\/agent\.yaml:6:3: tools: unknown key 'tacticle'; did you mean 'tactical'\?; known here: .*/,
      ),
    ]);
    await write({ 'agents/child/agent.yaml': 'name: child\nextends: base\ntools:\n  domain+:\n    - web_serch\n' });
    expect(await loadProblems()).toContainEqual(
      expect.stringMatching(
        /^child\/agent\.yaml:5:7: tools\.domain\.2: there is no tool 'web_serch'; did you mean 'web_search'\?; known: .*/,
      ),
    );
  });

  it.each([
    [
      'an unknown name',
      'extends: bse',
      /^child\/agent\.yaml:2:10: extends: there is no agent 'bse'; did you mean 'base'\?; known: base$/,
    ],
    [
      'a missing file',
      'extends: ./bse.yaml',
      /^child\/agent\.yaml:2:10: extends: there is no file 'bse\.yaml' beside this one/,
    ],
    [
      'a file elsewhere',
      'extends: ../base/agent.yaml',
      /^child\/agent\.yaml:2:10: extends: expected a file beside this one/,
    ],
    [
      'itself',
      'extends: child',
      /^child\/agent\.yaml:2:10: extends: they extend one another in a circle: child → child$/,
    ],
    [
      'two at once',
      'extends: base\n$extends: base',
      /^child\/agent\.yaml:2:10: extends: expected one of .*found both$/,
    ],
    ['no text', 'extends: [base]', /^child\/agent\.yaml:2:10: extends: expected the name of an agent/],
    [
      'an addition to a value that is not a list',
      'extends: base\nlimits+: [1]',
      /^child\/agent\.yaml:3:10: limits\+: cannot add to 'limits': 'limits' is not a list$/,
    ],
    [
      'an addition that is not a list',
      'extends: base\ntools: { domain+: web_search }',
      /^child\/agent\.yaml:3:19: tools\.domain\+: cannot add to 'domain': expected a list$/,
    ],
    [
      'instructions elsewhere',
      'extends: base\ninstructions+: ../x.md',
      /^child\/agent\.yaml:3:16: instructions\+: expected a file beside this one$/,
    ],
  ])('is reported with file and line: %s', async (_, text, expected) => {
    await write({ 'agents/child/agent.yaml': `name: child\n${text}\n` });
    expect(await loadProblems()).toEqual([expect.stringMatching(expected)]);
  });

  it('may be a circle, which is reported for each of its files, and once for agents that lead into it', async () => {
    await write({
      'agents/a/agent.yaml': 'name: a\nextends: b\n',
      'agents/b/agent.yaml': 'name: b\nextends: c\n',
      'agents/c/agent.yaml': 'name: c\nextends: a\n',
      'agents/d/agent.yaml': 'name: d\nextends: a\n',
    });
    expect(await loadProblems()).toEqual([
      'a/agent.yaml:2:10: extends: they extend one another in a circle: a → b → c → a',
      'b/agent.yaml:2:10: extends: they extend one another in a circle: b → c → a → b',
      'c/agent.yaml:2:10: extends: they extend one another in a circle: c → a → b → c',
    ]);
  });

  it('may be a missing name, which is not inherited, or a second definition in the folder', async () => {
    await write({ 'agents/child/agent.yaml': 'extends: base\n' });
    expect(await loadProblems()).toEqual([expect.stringMatching(/^child\/agent\.yaml:1:1: name: missing/)]);
    await write({ 'agents/child/agent.json': '{}' });
    expect(await loadProblems()).toEqual([
      'child/agent.json: expected one definition of the agent, also found agent.yaml',
    ]);
  });
});
