import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolDeclaration } from '@phaseline/contracts';
import { listToolGroups, phaseKinds, workflowSchema, type PhaseKind, type Workflow } from '@phaseline/domain';
import type { z } from 'zod';
import { choosePositions, type InputPrices } from '../agent/choose-positions.js';
import { readAgentDefinition, completeAgent, type LoadedAgent, type ReadDefinition } from '../agent/load-agent.js';
import { formatProblem, InvalidDefinitions, UnknownDefinition, type DefinitionProblem } from '../definition-errors.js';
import type { Variables } from '../yaml/fill-placeholders.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import { listFolders, type DefinitionPath } from './parse-definition-path.js';
import { checkNamedRuns } from './check-named-runs.js';
import { checkReadingTools } from './check-reading-tools.js';
import { checkStateTools } from './check-state-tools.js';
import { checkStateAgents, type ReadWorkflow } from './check-state-agents.js';
import { DefinitionSet, type Loaded } from './definition-set.js';
import { findNearMatches, suggestNear } from './near-matches.js';

export interface Definitions<Model> {
  readonly agents: DefinitionSet<LoadedAgent>;
  readonly workflows: DefinitionSet<Loaded<Workflow>>;
  readonly models: DefinitionSet<Loaded<Model>>;
}

/** Minimum shape of a model profile. */
export interface NamedProfile {
  readonly name: string;
  readonly prices?: InputPrices | undefined;
}

export interface LoadOptions<Model> {
  /** Contains `<agent>/agent.yaml` and its instructions file. With several folders, later ones override earlier ones. */
  readonly agentsDir: DefinitionPath;
  /** Contains `<workflow>.yaml`. */
  readonly workflowsDir: DefinitionPath;
  /** Contains `<profile>.yaml`. */
  readonly modelsDir: DefinitionPath;
  /** Schema of profiles, supplied by the model client. */
  readonly modelSchema: z.ZodType<Model>;
  /** Values for `${NAME}` in model profiles. Never pass secrets: the values become part of the definition. */
  readonly variables?: Variables;
  /** The declared tools. If given, an agent that lists one of them for phases that its traits forbid is rejected. */
  readonly tools?: Iterable<KnownTool>;
  /** Whether agents may name tools that are not among `tools`, which packs of the deployment may have; false by default. */
  readonly allowOtherTools?: boolean;
  /** Names of the agents to load; all if absent. */
  readonly only?: readonly string[];
}

/** What a definition needs to know of a tool. */
export type KnownTool = Pick<ToolDeclaration, 'name' | 'traits'>;

/** The definitions that could be loaded, and the problems of the others. */
export interface LoadedDefinitions<Model> extends Definitions<Model> {
  readonly problems: readonly DefinitionProblem[];
  /** Names of agents that exist but cannot be used. */
  readonly brokenAgents: readonly string[];
}

/** The tool that is disabled until the agent's settings say what it may do. */
const RUN_COMMAND = 'run_command';

/**
 * Loads all definitions and checks them against their schemas and each other. Throws InvalidDefinitions with the problems of
 * all files.
 */
export async function loadDefinitions<Model extends NamedProfile>(
  options: LoadOptions<Model>,
): Promise<Definitions<Model>> {
  const { problems: problems, agents, workflows, models } = await loadUsableDefinitions(options);
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return { agents, workflows, models };
}

/** Loads all usable definitions and reports the problems of the others. Throws UnknownDefinition if `only` names an unknown agent. */
export async function loadUsableDefinitions<Model extends NamedProfile>(
  options: LoadOptions<Model>,
): Promise<LoadedDefinitions<Model>> {
  const problems: DefinitionProblem[] = [];
  const workflowFiles = await yamlFiles(options.workflowsDir, 'workflows', problems);
  const modelFiles = await yamlFiles(options.modelsDir, 'models', problems);
  const readWorkflows: ReadWorkflow[] = [];
  const workflows = await loadWorkflows(workflowFiles, problems, readWorkflows);
  const models = await loadModels(modelFiles, options.modelSchema, options.variables ?? {}, problems);
  const known: Known = {
    // By file, so that a broken workflow is reported once and not again for each agent that uses it.
    workflows: new Set(workflowFiles.map(({ name }) => name)),
    usableWorkflows: workflows,
    models: new Set(modelFiles.map(({ name }) => name)),
    usableModels: models,
    tools: options.tools && new Map([...options.tools].map((tool) => [tool.name, tool])),
    allowOtherTools: options.allowOtherTools ?? false,
  };
  const { agents, broken } = await loadAgents(listFolders(options.agentsDir), known, problems, options.only);
  const names = await agentNames(listFolders(options.agentsDir), []);
  // A shipped workflow that no agent of these folders runs needs no agents either.
  const used = new Set([...agents].map(({ definition }) => definition.workflow));
  for (const read of readWorkflows)
    if (used.has(read.definition.name))
      problems.push(
        ...checkStateAgents(read, names, agents),
        ...checkNamedRuns(read, agents),
        ...(known.tools && !known.allowOtherTools ? checkStateTools(read, known.tools) : []),
      );
  return { agents, workflows, models, brokenAgents: broken, problems: deduplicate(problems) };
}

/** Loads only the model profiles. Throws InvalidDefinitions. */
export async function loadModelProfiles<Model extends NamedProfile>(
  dir: DefinitionPath,
  schema: z.ZodType<Model>,
  variables: Variables = {},
): Promise<DefinitionSet<Loaded<Model>>> {
  const problems: DefinitionProblem[] = [];
  const models = await loadModels(await yamlFiles(dir, 'models', problems), schema, variables, problems);
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return models;
}

interface DefinitionFile {
  /** Name of the definition: the file name without its extension. */
  readonly name: string;
  readonly file: string;
  /** Folder that contains the definition. */
  readonly dir: string;
}

async function loadWorkflows(
  files: readonly DefinitionFile[],
  problems: DefinitionProblem[],
  readWorkflows: ReadWorkflow[],
): Promise<DefinitionSet<Loaded<Workflow>>> {
  const found: Loaded<Workflow>[] = [];
  for (const { name, file, dir } of files) {
    await collect(problems, async () => {
      const { value, hash, problemAt } = await readYamlFile(file, workflowSchema, { within: dir });
      if (value.name !== name) problems.push(problemAt(['name'], describeWrongName('file', name, value.name)));
      found.push({ name, definition: value, hash, file });
      readWorkflows.push({ definition: value, problemAt });
    });
  }
  return new DefinitionSet('workflow', found);
}

async function loadModels<Model extends NamedProfile>(
  files: readonly DefinitionFile[],
  schema: z.ZodType<Model>,
  variables: Variables,
  problems: DefinitionProblem[],
): Promise<DefinitionSet<Loaded<Model>>> {
  const found: Loaded<Model>[] = [];
  for (const { name, file, dir } of files) {
    await collect(problems, async () => {
      const { value, hash, problemAt } = await readYamlFile(file, schema, { within: dir, variables });
      if (value.name !== name) problems.push(problemAt(['name'], describeWrongName('file', name, value.name)));
      found.push({ name, definition: value, hash, file });
    });
  }
  return new DefinitionSet('model', found);
}

interface Known {
  readonly workflows: ReadonlySet<string>;
  readonly usableWorkflows: DefinitionSet<Loaded<Workflow>>;
  readonly models: ReadonlySet<string>;
  readonly usableModels: DefinitionSet<Loaded<NamedProfile>>;
  readonly tools: ReadonlyMap<string, KnownTool> | undefined;
  readonly allowOtherTools: boolean;
}

async function loadAgents(
  dirs: readonly string[],
  known: Known,
  problems: DefinitionProblem[],
  only: readonly string[] | undefined,
): Promise<{ readonly agents: DefinitionSet<LoadedAgent>; readonly broken: readonly string[] }> {
  const found: LoadedAgent[] = [];
  const broken: string[] = [];
  const names = await agentNames(dirs, problems);
  for (const name of only ?? []) {
    if (!names.includes(name)) throw new UnknownDefinition('agent', name, names, findNearMatches(name, names));
  }
  for (const name of only ?? names) {
    const own: DefinitionProblem[] = [];
    await collect(own, async () => {
      const read = await readAgentDefinition(dirs, name);
      const declaredName = read.definition.name;
      if (declaredName !== name) own.push(read.problemAt(['name'], describeWrongName('directory', name, declaredName)));
      own.push(...checkReferences(read, known));
      const { prices } = known.usableModels.find(read.definition.models.tactical)?.definition ?? {};
      const agent = await completeAgent({ ...read, definition: choosePositions(read.definition, read.given, prices) });
      if (own.length === 0) found.push(agent);
    });
    problems.push(...own);
    if (own.length > 0) broken.push(name);
  }
  return { agents: new DefinitionSet('agent', found), broken };
}

async function agentNames(dirs: readonly string[], problems: DefinitionProblem[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const dir of dirs) {
    for (const entry of await visibleEntries(dir, 'agents', problems)) {
      // A link may point to a directory. Whether it leads out is checked when its files are read.
      if (entry.isDirectory() || entry.isSymbolicLink()) names.add(entry.name);
    }
  }
  return [...names].sort();
}

/** Checks the names that an agent refers to. */
function checkReferences(read: ReadDefinition, known: Known): readonly DefinitionProblem[] {
  const { definition: value, problemAt } = read;
  const workflow = known.usableWorkflows.find(value.workflow)?.definition;
  const problems: DefinitionProblem[] = workflow ? [...checkReadingTools(read, workflow)] : [];
  const check = (kind: string, path: readonly PropertyKey[], name: string, names: ReadonlySet<string>): void => {
    if (names.has(name)) return;
    problems.push(
      problemAt(
        path,
        `${path.join('.')}: there is no ${kind} '${name}'${suggestNear(name, names)}; known: ${[...names].sort().join(', ') || 'none'}`,
      ),
    );
  };
  check('workflow', ['workflow'], value.workflow, known.workflows);
  check('model profile', ['models', 'strategic'], value.models.strategic, known.models);
  check('model profile', ['models', 'tactical'], value.models.tactical, known.models);
  for (const [group, names] of listToolGroups(value)) {
    const at = names.indexOf(RUN_COMMAND);
    if (at < 0 || value.settings?.commands) continue;
    const message = `tools.${group}.${at}: '${RUN_COMMAND}' needs 'settings.commands'; list the allowed programs there`;
    problems.push(problemAt(['tools', group, at], message));
  }
  if (value.startWhen && value.requires && Object.keys(value.requires).length > 0) {
    const message =
      "requires: an agent with 'startWhen' starts by itself, so nobody gives it inputs; remove one of the two";
    problems.push(problemAt(['requires'], message));
  }
  if (!known.tools) return problems;
  const toolNames = new Set(known.tools.keys());
  for (const [group, names] of listToolGroups(value)) {
    for (const [index, name] of names.entries()) {
      const path = ['tools', group, index];
      const tool = known.tools.get(name);
      const wrongPhase = value.unsafe?.phases || !tool ? undefined : findWrongPhase(tool, group);
      if (!tool && !known.allowOtherTools) check('tool', path, name, toolNames);
      if (wrongPhase) problems.push(problemAt(path, `${path.join('.')}: ${wrongPhase}`));
    }
  }
  return problems;
}

/** Kinds of the phases in which the tools of each group are offered. Those on demand are listed in another group too. */
const PHASES_OF_GROUP: Readonly<Record<string, readonly PhaseKind[]>> = {
  workspace: ['strategic', 'tactical'],
  strategic: ['strategic'],
  tactical: ['tactical'],
  domain: ['tactical'],
};

/** Explains why a tool does not belong in a group: its traits allow only phases of another kind. */
function findWrongPhase({ name, traits = [] }: KnownTool, group: string): string | undefined {
  const only = phaseKinds.find((kind) => traits.includes(`${kind}_only`));
  const forbidden = PHASES_OF_GROUP[group]?.find((kind) => only !== undefined && kind !== only);
  const groups = only === 'tactical' ? "'tools.tactical' or 'tools.domain'" : "'tools.strategic'";
  return forbidden && `'${name}' cannot be used in ${forbidden} phases; list it under ${groups}`;
}

/** Lists the files of all folders. Of files with the same name, the one in the last folder counts. */
async function yamlFiles(
  path: DefinitionPath,
  what: string,
  problems: DefinitionProblem[],
): Promise<readonly DefinitionFile[]> {
  const byName = new Map<string, DefinitionFile>();
  for (const dir of listFolders(path))
    for (const found of await yamlFilesIn(dir, what, problems)) byName.set(found.name, found);
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function yamlFilesIn(
  dir: string,
  what: string,
  problems: DefinitionProblem[],
): Promise<readonly DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  for (const entry of await visibleEntries(dir, what, problems)) {
    const [, name] = /^(.+)\.ya?ml$/.exec(entry.name) ?? [];
    if (name === undefined || entry.isDirectory()) continue;
    const file = join(dir, entry.name);
    const duplicate = files.find((other) => other.name === name);
    if (duplicate) problems.push({ file, message: `expected one file per name, also found ${duplicate.file}` });
    else files.push({ name, file, dir });
  }
  return files;
}

/** Lists visible entries in order of their names, so that problems and hashes do not depend on the file system. */
async function visibleEntries(dir: string, what: string, problems: DefinitionProblem[]) {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.')).sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    problems.push({
      file: dir,
      message: `expected the directory of the ${what}, but it cannot be read (${code})`,
    });
    return [];
  }
}

function describeWrongName(what: 'file' | 'directory', expected: string, found: string): string {
  return `name: expected '${expected}' like the name of the ${what}, found '${found}'`;
}

/** Removes duplicates: a problem in a file is found again by every agent that extends it. */
function deduplicate(problems: readonly DefinitionProblem[]): readonly DefinitionProblem[] {
  return [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()];
}

async function collect(problems: DefinitionProblem[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    problems.push(...error.problems);
  }
}
