import { access } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { SHIPPED_VOCABULARIES, type VerifierDefinition } from '@phaseline/contracts';
import {
  agentDefinitionSchema,
  MAX_PROMPT_CHARACTERS,
  SKILLS_DIRECTORY,
  VERIFIERS_DIRECTORY,
  type AgentDefinition,
} from '@phaseline/domain';
import { InvalidDefinitions } from '../definition-errors.js';
import { hashContent } from '../definition/content-hash.js';
import type { Loaded } from '../definition/definition-set.js';
import { loadAgentGuards } from '../definition/load-guards.js';
import { loadGuardSets } from '../definition/load-guard-sets.js';
import { hashFiles, loadSkills, type AgentFile, type LoadedSkills } from '../definition/load-skills.js';
import { loadPatterns } from '../definition/load-patterns.js';
import { loadSchemas } from '../definition/load-schemas.js';
import { loadVocabularies, type LoadedVocabulary } from '../definition/load-vocabularies.js';
import { readTextFile } from '../file/read-text-file.js';
import { loadVerifiers } from '../verifier/load-verifiers.js';
import { checkValue, type YamlDocument } from '../yaml/parse-yaml.js';
import { readAgentLayers, EXTENDS, type AgentLayer } from './agent-layers.js';
import { mergeLayers } from './merge-layers.js';

export interface LoadedAgent extends Loaded<AgentDefinition> {
  /** Folder of agents from which it was loaded. */
  readonly from: string;
  /** Text of the instructions. The agent's hash covers it. */
  readonly instructions: string;
  /** Files that are copied into every job of the agent: those of its skills, vocabularies, patterns of plans and guard sets. The agent's hash covers them. */
  readonly files: readonly AgentFile[];
  /** Paths of the files read: definitions, the agent's own first, then instructions. */
  readonly sources: readonly string[];
  /** Definitions that it extends, nearest first: names of agents, or names of files in an agent's folder. */
  readonly extends: readonly string[];
}

/** A definition that was read, and a function that reports a problem at a path in it. */
export interface ReadDefinition {
  readonly definition: AgentDefinition;
  /** The merged definition as it was written, without defaults. */
  readonly given: unknown;
  readonly layers: readonly AgentLayer[];
  readonly problemAt: YamlDocument['problemAt'];
}

/** Key that appends a file to the inherited instructions. */
const MORE_INSTRUCTIONS = 'instructions+';
const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;

/**
 * Reads the definition of an agent, merged with everything that it extends. Throws InvalidDefinitions; each problem points to
 * the file that contains it.
 */
export async function readAgentDefinition(dirs: readonly string[], name: string): Promise<ReadDefinition> {
  const layers = await readAgentLayers(dirs, name);
  const own = layers.at(-1)!;
  const { value, problemAt } = mergeLayers(
    layers.map(({ document }) => ({
      document,
      // A name is not inherited.
      without: [...EXTENDS, '$schema', MORE_INSTRUCTIONS, ...(document === own.document ? [] : ['name'])],
    })),
  );
  return { definition: checkValue(value, agentDefinitionSchema, problemAt), given: value, layers, problemAt };
}

/** Completes a definition with its instructions and skills. Throws InvalidDefinitions. */
export async function completeAgent(read: ReadDefinition): Promise<LoadedAgent> {
  const { layers } = read;
  const instructions = await readInstructions(read);
  const prompts = await loadPrompts(read);
  const { skills, files: skillFiles } = await loadAllSkills(layers);
  const vocabularies = await loadVocabularies(layers.map(({ folder }) => folder));
  checkVocabularies(read, vocabularies);
  const verifiers = await loadAllVerifiers(read);
  if (read.definition.guards)
    throw new InvalidDefinitions([
      read.problemAt(['guards'], "guards: is filled in by the system; put guards into the folder 'guards'", true),
    ]);
  const folders = layers.map(({ folder }) => folder);
  const sets = await loadGuardSets(folders);
  const guards = [...(await loadAgentGuards(folders)), ...sets.guards];
  const schemas = await loadSchemas(layers.map(({ folder }) => folder));
  checkNames(read, { jsonSchema: Object.keys(schemas), verifier: verifiers.map(({ name }) => name) });
  const files = [
    ...skillFiles,
    ...vocabularies.map(({ file }) => file),
    ...(await loadPatterns(folders)),
    ...sets.files,
  ];
  const definition = {
    ...read.definition,
    ...(skills.length === 0 ? {} : { skills: [...skills] }),
    ...(guards.length === 0 ? {} : { guards }),
    ...(prompts.texts ? { promptTexts: prompts.texts } : {}),
    ...(verifiers.length === 0 ? {} : { verifiers: [...verifiers] }),
    ...(Object.keys(schemas).length === 0 ? {} : { schemas }),
  };
  const given = files.length === 0 ? {} : { files: hashFiles(files) };
  return {
    name: definition.name,
    definition,
    hash: hashContent({ definition, instructions: instructions.text, ...given }),
    file: layers.at(-1)!.document.file,
    from: layers.at(-1)!.agentsDir,
    instructions: instructions.text,
    files,
    sources: [...layers.map(({ document }) => document.file).toReversed(), ...instructions.files, ...prompts.files],
    extends: layers
      .slice(0, -1)
      .toReversed()
      .map((layer) => layer.agent ?? layer.document.file.slice(layer.folder.length + 1)),
  };
}

/** Loads the skills of an agent and of those that it extends. Of skills with the same name, the nearest counts. */
async function loadAllSkills(layers: readonly AgentLayer[]): Promise<LoadedSkills> {
  const folders = new Set(layers.map(({ folder }) => folder));
  const skills = new Map<string, LoadedSkills['skills'][number]>();
  const files = new Map<string, AgentFile>();
  for (const folder of folders) {
    const loaded = await loadSkills(folder);
    for (const skill of loaded.skills) {
      // A skill replaces all files of an inherited skill with the same name.
      for (const path of files.keys()) if (path.startsWith(`${SKILLS_DIRECTORY}/${skill.name}/`)) files.delete(path);
      skills.set(skill.name, skill);
    }
    for (const file of loaded.files) files.set(file.path, file);
  }
  const byName = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills: byName, files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Loads the verifiers of an agent. They are files of their own, so that no agent inherits only half of one. */
async function loadAllVerifiers({
  layers,
  definition,
  problemAt,
}: ReadDefinition): Promise<readonly VerifierDefinition[]> {
  if (definition.verifiers)
    throw new InvalidDefinitions([
      problemAt(
        ['verifiers'],
        `verifiers: is filled in by the system; put one file per verifier into the folder '${VERIFIERS_DIRECTORY}'`,
        true,
      ),
    ]);
  return loadVerifiers(layers.map(({ folder }) => folder));
}

interface Instructions {
  readonly text: string;
  readonly files: readonly string[];
}

/** Reads the instructions file from the nearest folder that has it, and appends the additions of the layers. */
async function readInstructions({ layers, definition, problemAt }: ReadDefinition): Promise<Instructions> {
  const { instructions } = definition;
  const path = normaliseLocalPath(instructions);
  if (path === undefined)
    throw new InvalidDefinitions([
      problemAt(['instructions'], `instructions: expected a file beside this one, found '${instructions}'`),
    ]);
  const folder = await findFolderOf(path, layers);
  const texts = [{ file: join(folder, path), text: await readInstructionsFile(join(folder, path), folder) }];
  for (const layer of layers) {
    for (const file of additionsOf(layer)) texts.push({ file, text: await readInstructionsFile(file, layer.folder) });
  }
  const [first, ...more] = texts;
  const text = more.length === 0 ? first!.text : `${texts.map((one) => one.text.trim()).join('\n\n')}\n`;
  return { text, files: texts.map(({ file }) => file) };
}

/** Folder of the nearest layer that has the file. If none has it, it is reported as missing in the agent's own folder. */
async function findFolderOf(path: string, layers: readonly AgentLayer[]): Promise<string> {
  for (const { folder } of layers.toReversed()) if (await isThere(join(folder, path))) return folder;
  return layers.at(-1)!.folder;
}

interface Prompts {
  readonly texts?: NonNullable<AgentDefinition['promptTexts']>;
  readonly files: readonly string[];
}

/** Reads the files that `prompts` names, each from the nearest folder that has it. */
async function loadPrompts({ layers, definition, problemAt }: ReadDefinition): Promise<Prompts> {
  if (definition.promptTexts)
    throw new InvalidDefinitions([
      problemAt(['promptTexts'], "promptTexts: is filled in by the system; name the files under 'prompts'", true),
    ]);
  const texts: Record<string, string> = {};
  const files: string[] = [];
  for (const [kind, given] of Object.entries(definition.prompts ?? {})) {
    if (given === undefined) continue;
    const path = normaliseLocalPath(given);
    if (path === undefined)
      throw new InvalidDefinitions([
        problemAt(['prompts', kind], `prompts.${kind}: expected a file beside this one, found '${given}'`),
      ]);
    const folder = await findFolderOf(path, layers);
    const file = join(folder, path);
    const text = (await readInstructionsFile(file, folder)).trim();
    if (text.length > MAX_PROMPT_CHARACTERS)
      throw new InvalidDefinitions([
        { file, line: 1, message: `expected at most ${MAX_PROMPT_CHARACTERS} characters, found ${text.length}` },
      ]);
    texts[kind] = text;
    files.push(file);
  }
  return files.length === 0 ? { files } : { texts, files };
}

/** Throws if the agent names a vocabulary that is neither shipped nor beside it. */
function checkVocabularies({ definition, problemAt }: ReadDefinition, own: readonly LoadedVocabulary[]): void {
  const known = new Set<string>([...SHIPPED_VOCABULARIES, ...own.map(({ name }) => name)]);
  const problems = (definition.settings?.documents?.vocabularies ?? []).flatMap((name, index) => {
    if (known.has(name)) return [];
    const path = ['settings', 'documents', 'vocabularies', index];
    return problemAt(
      path,
      `${path.join('.')}: there is no vocabulary '${name}'; known: ${[...known].sort().join(', ')}`,
    );
  });
  if (problems.length > 0) throw new InvalidDefinitions(problems);
}

/** Throws if a deliverable, an output of todos or the return names a schema or verifier that is not beside the definition. */
function checkNames(
  { definition, problemAt }: ReadDefinition,
  known: Readonly<Record<'jsonSchema' | 'verifier', readonly string[]>>,
): void {
  if (definition.schemas)
    throw new InvalidDefinitions([
      problemAt(['schemas'], "schemas: is filled in by the system; put the files into the folder 'schemas'", true),
    ]);
  const { deliverables, todos, returns } = definition;
  const files = [
    ...deliverables.map((file, index) => ({ file, path: ['deliverables', index] })),
    ...(todos.outputs ?? []).map((file, index) => ({ file, path: ['todos', 'outputs', index] })),
  ];
  const named = [
    ...files.flatMap(({ file, path }) =>
      typeof file === 'string'
        ? []
        : (['jsonSchema', 'verifier'] as const).map((kind) => ({ kind, name: file[kind], path: [...path, kind] })),
    ),
    { kind: 'jsonSchema' as const, name: returns?.schema, path: ['returns', 'schema'] },
  ];
  const problems = named.flatMap(({ kind, name, path }) => {
    if (name === undefined || known[kind].includes(name)) return [];
    const what = kind === 'verifier' ? 'verifier' : 'schema';
    const list = known[kind].join(', ') || 'none';
    return problemAt(path, `${path.join('.')}: there is no ${what} '${name}' beside this file; known: ${list}`);
  });
  if (problems.length > 0) throw new InvalidDefinitions(problems);
}

/** Paths of the files that a layer adds to the instructions. */
function additionsOf({ document, folder }: AgentLayer): readonly string[] {
  const { value } = document;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MORE_INSTRUCTIONS)) return [];
  const given = (value as Record<string, unknown>)[MORE_INSTRUCTIONS];
  const path = typeof given === 'string' ? normaliseLocalPath(given) : undefined;
  if (path === undefined)
    throw new InvalidDefinitions([
      document.problemAt([MORE_INSTRUCTIONS], `${MORE_INSTRUCTIONS}: expected a file beside this one`),
    ]);
  return [join(folder, path)];
}

/** Normalises a path that stays in its folder; `undefined` for any other. */
function normaliseLocalPath(given: string): string | undefined {
  const path = normalize(given);
  return path === '.' || path.startsWith('..') || path.startsWith(sep) || path.includes('\0') ? undefined : path;
}

async function readInstructionsFile(file: string, folder: string): Promise<string> {
  const text = await readTextFile(file, { maxBytes: MAX_INSTRUCTIONS_BYTES, within: folder });
  if (text.trim() !== '') return text;
  throw new InvalidDefinitions([
    { file, line: 1, message: 'expected instructions for the agent, found an empty file' },
  ]);
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
