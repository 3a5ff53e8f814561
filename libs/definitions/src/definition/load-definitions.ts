import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { workflowSchema, type Workflow } from '@phaseline/domain';
import type { z } from 'zod';
import { readAgentDefinition, withInstructions, type LoadedAgent, type ReadDefinition } from '../agent/load-agent.js';
import { formatComplaint, InvalidDefinitions, UnknownDefinition, type Complaint } from '../definition-errors.js';
import type { Variables } from '../yaml/fill-placeholders.js';
import { readYamlFile } from '../yaml/read-yaml-file.js';
import { foldersOf, type DefinitionPath } from './definition-path.js';
import { DefinitionSet, type Loaded } from './definition-set.js';
import { nearMatches } from './near-matches.js';

export interface Definitions<Model> {
  readonly agents: DefinitionSet<LoadedAgent>;
  readonly workflows: DefinitionSet<Loaded<Workflow>>;
  readonly models: DefinitionSet<Loaded<Model>>;
}

/** What a model profile has at least. */
export interface NamedProfile {
  readonly name: string;
}

export interface LoadOptions<Model> {
  /** Holds `<agent>/agent.yaml` and its instructions file. Of several folders a later one overrides those before it. */
  readonly agentsDir: DefinitionPath;
  /** Holds `<workflow>.yaml`. */
  readonly workflowsDir: DefinitionPath;
  /** Holds `<profile>.yaml`. */
  readonly modelsDir: DefinitionPath;
  /** Profiles belong to the model client, so it brings their schema. */
  readonly modelSchema: z.ZodType<Model>;
  /** What `${NAME}` in a model profile may stand for. Never pass secrets: what is filled in becomes part of the definition. */
  readonly variables?: Variables;
  /** The names of all tools there are; where given, an agent with another one is refused. */
  readonly knownTools?: Iterable<string>;
  /** Only these agents; every one where it is left out. */
  readonly only?: readonly string[];
}

/** What could be loaded, and what could not. */
export interface TriedDefinitions<Model> extends Definitions<Model> {
  readonly complaints: readonly Complaint[];
  /** Agents that are there and cannot be used. */
  readonly brokenAgents: readonly string[];
}

/** The one tool that is off until an agent's settings say what it may do. */
const RUN_COMMAND = 'run_command';

/**
 * All definitions, checked each by its schema and against one another. Throws InvalidDefinitions with the complaints about
 * all files together.
 */
export async function loadDefinitions<Model extends NamedProfile>(
  options: LoadOptions<Model>,
): Promise<Definitions<Model>> {
  const { complaints, agents, workflows, models } = await tryDefinitions(options);
  if (complaints.length > 0) throw new InvalidDefinitions(complaints);
  return { agents, workflows, models };
}

/** Loads what can be used, and complains about the rest. Throws UnknownDefinition where `only` names no agent. */
export async function tryDefinitions<Model extends NamedProfile>(
  options: LoadOptions<Model>,
): Promise<TriedDefinitions<Model>> {
  const complaints: Complaint[] = [];
  const workflowFiles = await yamlFiles(options.workflowsDir, 'workflows', complaints);
  const modelFiles = await yamlFiles(options.modelsDir, 'models', complaints);
  const workflows = await loadWorkflows(workflowFiles, complaints);
  const models = await loadModels(modelFiles, options.modelSchema, options.variables ?? {}, complaints);
  const known: Known = {
    // By file and not by what was loaded: a broken workflow is one complaint, not one more for each agent that uses it.
    workflows: new Set(workflowFiles.map(({ name }) => name)),
    models: new Set(modelFiles.map(({ name }) => name)),
    tools: options.knownTools && new Set(options.knownTools),
  };
  const { agents, broken } = await loadAgents(foldersOf(options.agentsDir), known, complaints, options.only);
  return { agents, workflows, models, brokenAgents: broken, complaints: eachOnce(complaints) };
}

/** The model profiles alone, for a process that needs nothing else. Throws InvalidDefinitions. */
export async function loadModelProfiles<Model extends NamedProfile>(
  dir: DefinitionPath,
  schema: z.ZodType<Model>,
  variables: Variables = {},
): Promise<DefinitionSet<Loaded<Model>>> {
  const complaints: Complaint[] = [];
  const models = await loadModels(await yamlFiles(dir, 'models', complaints), schema, variables, complaints);
  if (complaints.length > 0) throw new InvalidDefinitions(complaints);
  return models;
}

interface DefinitionFile {
  /** What the definition is called: the file's name without its ending. */
  readonly name: string;
  readonly file: string;
  /** The folder of definitions that it belongs to. */
  readonly dir: string;
}

async function loadWorkflows(
  files: readonly DefinitionFile[],
  complaints: Complaint[],
): Promise<DefinitionSet<Loaded<Workflow>>> {
  const found: Loaded<Workflow>[] = [];
  for (const { name, file, dir } of files) {
    await collect(complaints, async () => {
      const { value, hash, complain } = await readYamlFile(file, workflowSchema, { within: dir });
      if (value.name !== name) complaints.push(complain(['name'], misnamed('file', name, value.name)));
      found.push({ name, definition: value, hash, file });
    });
  }
  return new DefinitionSet('workflow', found);
}

async function loadModels<Model extends NamedProfile>(
  files: readonly DefinitionFile[],
  schema: z.ZodType<Model>,
  variables: Variables,
  complaints: Complaint[],
): Promise<DefinitionSet<Loaded<Model>>> {
  const found: Loaded<Model>[] = [];
  for (const { name, file, dir } of files) {
    await collect(complaints, async () => {
      const { value, hash, complain } = await readYamlFile(file, schema, { within: dir, variables });
      if (value.name !== name) complaints.push(complain(['name'], misnamed('file', name, value.name)));
      found.push({ name, definition: value, hash, file });
    });
  }
  return new DefinitionSet('model', found);
}

interface Known {
  readonly workflows: ReadonlySet<string>;
  readonly models: ReadonlySet<string>;
  readonly tools: ReadonlySet<string> | undefined;
}

async function loadAgents(
  dirs: readonly string[],
  known: Known,
  complaints: Complaint[],
  only: readonly string[] | undefined,
): Promise<{ readonly agents: DefinitionSet<LoadedAgent>; readonly broken: readonly string[] }> {
  const found: LoadedAgent[] = [];
  const broken: string[] = [];
  const names = await agentNames(dirs, complaints);
  for (const name of only ?? []) {
    if (!names.includes(name)) throw new UnknownDefinition('agent', name, names, nearMatches(name, names));
  }
  for (const name of only ?? names) {
    const own: Complaint[] = [];
    await collect(own, async () => {
      const read = await readAgentDefinition(dirs, name);
      const said = read.definition.name;
      if (said !== name) own.push(read.complain(['name'], misnamed('directory', name, said)));
      own.push(...crossComplaints(read, known));
      const agent = await withInstructions(read);
      if (own.length === 0) found.push(agent);
    });
    complaints.push(...own);
    if (own.length > 0) broken.push(name);
  }
  return { agents: new DefinitionSet('agent', found), broken };
}

async function agentNames(dirs: readonly string[], complaints: Complaint[]): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const dir of dirs) {
    for (const entry of await visibleEntries(dir, 'agents', complaints)) {
      // A link may stand for a directory as well; whether it leads out is seen when its files are read.
      if (entry.isDirectory() || entry.isSymbolicLink()) names.add(entry.name);
    }
  }
  return [...names].sort();
}

/** What an agent names and what is not there. */
function crossComplaints({ definition: value, complain }: ReadDefinition, known: Known): readonly Complaint[] {
  const complaints: Complaint[] = [];
  const check = (kind: string, path: readonly PropertyKey[], name: string, names: ReadonlySet<string>): void => {
    if (names.has(name)) return;
    const near = nearMatches(name, names);
    const hint = near.length > 0 ? `; did you mean ${near.map((one) => `'${one}'`).join(' or ')}?` : '';
    complaints.push(
      complain(
        path,
        `${path.join('.')}: there is no ${kind} '${name}'${hint}; known: ${[...names].sort().join(', ') || 'none'}`,
      ),
    );
  };
  check('workflow', ['workflow'], value.workflow, known.workflows);
  check('model profile', ['models', 'strategic'], value.models.strategic, known.models);
  check('model profile', ['models', 'tactical'], value.models.tactical, known.models);
  for (const [group, names] of Object.entries(value.tools)) {
    const at = names.indexOf(RUN_COMMAND);
    if (at < 0 || value.settings?.commands) continue;
    const message = `tools.${group}.${at}: '${RUN_COMMAND}' may run nothing without 'settings.commands'; name the programs there`;
    complaints.push(complain(['tools', group, at], message));
  }
  if (known.tools) {
    for (const [group, names] of Object.entries(value.tools)) {
      for (const [index, name] of names.entries()) check('tool', ['tools', group, index], name, known.tools);
    }
  }
  return complaints;
}

/** The files of all folders; of those with one name, the one in the last folder. */
async function yamlFiles(
  path: DefinitionPath,
  what: string,
  complaints: Complaint[],
): Promise<readonly DefinitionFile[]> {
  const byName = new Map<string, DefinitionFile>();
  for (const dir of foldersOf(path))
    for (const found of await yamlFilesIn(dir, what, complaints)) byName.set(found.name, found);
  return [...byName.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
}

async function yamlFilesIn(dir: string, what: string, complaints: Complaint[]): Promise<readonly DefinitionFile[]> {
  const files: DefinitionFile[] = [];
  for (const entry of await visibleEntries(dir, what, complaints)) {
    const [, name] = /^(.+)\.ya?ml$/.exec(entry.name) ?? [];
    if (name === undefined || entry.isDirectory()) continue;
    const file = join(dir, entry.name);
    const twin = files.find((other) => other.name === name);
    if (twin) complaints.push({ file, message: `expected one file a name, found ${twin.file} too` });
    else files.push({ name, file, dir });
  }
  return files;
}

/** In the order of their names, so that complaints and hashes do not depend on the file system. */
async function visibleEntries(dir: string, what: string, complaints: Complaint[]) {
  try {
    const entries = await readdir(dir, { withFileTypes: true });
    return entries.filter(({ name }) => !name.startsWith('.')).sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    complaints.push({
      file: dir,
      message: `expected the directory of the ${what}, found none that can be read (${code})`,
    });
    return [];
  }
}

function misnamed(what: 'file' | 'directory', expected: string, found: string): string {
  return `name: expected '${expected}', as the ${what} is called, found '${found}'`;
}

/** What is wrong with a file is found again by every agent that extends it. */
function eachOnce(complaints: readonly Complaint[]): readonly Complaint[] {
  return [...new Map(complaints.map((complaint) => [formatComplaint(complaint), complaint])).values()];
}

async function collect(complaints: Complaint[], step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    complaints.push(...error.complaints);
  }
}
