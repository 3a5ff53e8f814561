import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { verifierDefinitionSchema, type SubmittedVerifiers } from '@phaseline/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAgentDefinition, completeAgent } from '../agent/load-agent.js';
import { formatProblem, InvalidDefinitions, UnknownDefinition } from '../definition-errors.js';
import { resolveVerifier } from './resolve-verifier.js';

let agents: string;
beforeEach(async () => {
  agents = await mkdtemp(join(tmpdir(), 'phaseline-verifiers-'));
  await put('base/agent.yaml', 'name: base\ndisplayName: Base\ntools: {}\n');
  await put('base/instructions.md', 'Do it.\n');
  await put('coder/agent.yaml', 'extends: base\nname: coder\ndisplayName: Coder\n');
});
afterEach(() => rm(agents, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(agents, path)), { recursive: true });
  await writeFile(join(agents, path), text);
}

const load = async (name: string) => completeAgent(await readAgentDefinition([agents], name));

async function loadProblems(): Promise<readonly string[]> {
  const error: unknown = await load('coder').catch((problem: unknown) => problem);
  if (!(error instanceof InvalidDefinitions)) throw new Error('expected problems', { cause: error });
  return error.problems.map((one) => formatProblem(one).replaceAll(`${agents}/`, ''));
}

describe('the verifiers of an agent', () => {
  it('are read from files, of which the nearest counts, and belong to its hash', async () => {
    await put('base/verifiers/lint.yaml', 'name: lint\nargv: [npm, run, lint]\n');
    await put('base/verifiers/unit.yaml', 'name: unit\nargv: [npm, test]\nreads: { tap: stdout }\n');
    const { hash: before } = await load('coder');
    await put('coder/verifiers/unit.json', '{"name":"unit","argv":["make","test"]}');
    const { definition, hash } = await load('coder');
    expect(definition.verifiers).toEqual([
      { name: 'lint', argv: ['npm', 'run', 'lint'] },
      { name: 'unit', argv: ['make', 'test'] },
    ]);
    expect(hash).not.toBe(before);
  });

  it.each([
    [
      'an unknown key',
      'name: a\nargv: [x]\ntimeout: 5\n',
      /a\.yaml:3:1: unknown key 'timeout'; did you mean 'timeoutMs'/,
    ],
    ['another name', 'name: b\nargv: [x]\n', /a\.yaml:1:7: name: expected 'a' like the name of the file, found 'b'/],
    ['no command', 'name: a\n', /expected one of 'argv'/],
    ['a shell line', 'name: a\nargv: npm test\n', /a\.yaml:2:7: argv: expected a list/],
    [
      'a program that the agent could replace',
      'name: a\nargv: [scripts/check.sh]\n',
      /a\.yaml:2:8: argv\.0: the agent could replace/,
    ],
    [
      'no count of unit tests',
      'name: a\nkind: unit\nargv: [x]\ninputs: [t]\nreads: { exitCode: true }\n',
      /a\.yaml:5:8: reads: .*exit code cannot show/,
    ],
  ])('are refused with %s, at its place', async (_what, text, problem) => {
    await put('coder/verifiers/a.yaml', text);
    expect(await loadProblems()).toEqual([expect.stringMatching(problem)]);
  });

  it('may name a program that is an input or a dependency', async () => {
    await put('coder/verifiers/a.yaml', 'name: a\nargv: [./scripts/check.sh]\ninputs: ["scripts/**"]\n');
    await put('coder/verifiers/b.yaml', 'name: b\nargv: [node_modules/.bin/vitest]\n');
    expect((await load('coder')).definition.verifiers).toHaveLength(2);
  });

  it('are refused in the definition itself, and as other files', async () => {
    await put('coder/verifiers/a.txt', 'x');
    expect(await loadProblems()).toEqual(['coder/verifiers/a.txt: expected a .yaml or .json file']);
    await put('coder/agent.yaml', 'extends: base\nname: coder\ndisplayName: Coder\nverifiers: [{ name: a }]\n');
    expect(await loadProblems()).toEqual([
      expect.stringMatching(/agent\.yaml:4:1: verifiers: is filled in by the system/),
    ]);
  });
});

describe('the verifiers of a job', () => {
  const own = verifierDefinitionSchema.parse({ name: 'unit', argv: ['npm', 'test'], inputs: ['test/**'] });
  const resolve = (name: string, submitted?: SubmittedVerifiers, files: Readonly<Record<string, string>> = {}) =>
    resolveVerifier(name, { agent: [own], submitted, readRepositoryFile: (path) => Promise.resolve(files[path]) });

  it('are those of the agent, with what the submission replaces', async () => {
    expect(await resolve('unit')).toBe(own);
    expect(await resolve('unit', { unit: { argv: ['make'] } })).toEqual({ ...own, argv: ['make'] });
    expect(await resolve('lint', { lint: { argv: ['make', 'lint'] } })).toEqual({
      name: 'lint',
      argv: ['make', 'lint'],
    });
    await expect(resolve('unti')).rejects.toThrow(UnknownDefinition);
    await expect(resolve('unti')).rejects.toThrow(/Did you mean "unit"/);
  });

  it('come from a file of the repository only if the submission says so', async () => {
    const files = { 'ci/unit.yaml': 'argv: [make, check]\n', 'ci/secret.yaml': 'argv: [env]\nsecrets: [TOKEN]\n' };
    expect(await resolve('unit', undefined, files)).toBe(own);
    const from = (path: string) => resolve('unit', { unit: { fromRepository: path } }, files);
    expect(await from('ci/unit.yaml')).toEqual({ ...own, argv: ['make', 'check'] });
    await expect(from('ci/secret.yaml')).rejects.toThrow(/unknown key 'secrets'/);
    await expect(from('ci/none.yaml')).rejects.toThrow(/has no such file at the submitted commit/);
  });
});
