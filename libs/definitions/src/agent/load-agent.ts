import { access } from 'node:fs/promises';
import { join, normalize, sep } from 'node:path';
import { agentDefinitionSchema, SKILLS_DIRECTORY, type AgentDefinition } from '@phaseline/domain';
import { InvalidDefinitions } from '../definition-errors.js';
import { contentHash } from '../definition/content-hash.js';
import type { Loaded } from '../definition/definition-set.js';
import { fileHashes, loadSkills, type AgentFile, type LoadedSkills } from '../definition/load-skills.js';
import { readTextFile } from '../file/read-text-file.js';
import { checkValue, type YamlDocument } from '../yaml/parse-yaml.js';
import { agentLayers, EXTENDS, type AgentLayer } from './agent-layers.js';
import { mergeLayers } from './merge-layers.js';

export interface LoadedAgent extends Loaded<AgentDefinition> {
  /** The folder of agents that it comes from. */
  readonly from: string;
  /** The text of the instructions. The agent's hash covers it. */
  readonly instructions: string;
  /** Files that every job of the agent is given: those of its skills. The agent's hash covers them. */
  readonly files: readonly AgentFile[];
  /** Where it was read from: definitions, the agent's own first, then instructions. */
  readonly sources: readonly string[];
  /** What it extends, nearest first: names of agents, and file names of files beside one. */
  readonly extends: readonly string[];
}

/** A definition that was read, and how to complain about a place in it. */
export interface ReadDefinition {
  readonly definition: AgentDefinition;
  readonly layers: readonly AgentLayer[];
  readonly complain: YamlDocument['complain'];
}

/** Adds the text of a file to the instructions of what is extended. */
const MORE_INSTRUCTIONS = 'instructions+';
const MAX_INSTRUCTIONS_BYTES = 1024 * 1024;

/**
 * The definition in a folder of the agents, with all that it extends laid below it. Throws InvalidDefinitions; each complaint
 * points into the file that said the wrong thing.
 */
export async function readAgentDefinition(dirs: readonly string[], name: string): Promise<ReadDefinition> {
  const layers = await agentLayers(dirs, name);
  const own = layers.at(-1)!;
  const { value, complain } = mergeLayers(
    layers.map(({ document }) => ({
      document,
      // A name belongs to one agent alone.
      without: [...EXTENDS, '$schema', MORE_INSTRUCTIONS, ...(document === own.document ? [] : ['name'])],
    })),
  );
  return { definition: checkValue(value, agentDefinitionSchema, complain), layers, complain };
}

/** The agent of a definition, with its instructions and skills. Throws InvalidDefinitions. */
export async function withInstructions(read: ReadDefinition): Promise<LoadedAgent> {
  const { layers } = read;
  const instructions = await readInstructions(read);
  const { skills, files } = await skillsOf(layers);
  const definition = skills.length === 0 ? read.definition : { ...read.definition, skills: [...skills] };
  const given = files.length === 0 ? {} : { files: fileHashes(files) };
  return {
    name: definition.name,
    definition,
    hash: contentHash({ definition, instructions: instructions.text, ...given }),
    file: layers.at(-1)!.document.file,
    from: layers.at(-1)!.agentsDir,
    instructions: instructions.text,
    files,
    sources: [...layers.map(({ document }) => document.file).toReversed(), ...instructions.files],
    extends: layers
      .slice(0, -1)
      .toReversed()
      .map((layer) => layer.agent ?? layer.document.file.slice(layer.folder.length + 1)),
  };
}

/** The skills of an agent and of those that it extends; of two with one name the nearer. */
async function skillsOf(layers: readonly AgentLayer[]): Promise<LoadedSkills> {
  const folders = new Set(layers.map(({ folder }) => folder));
  const skills = new Map<string, LoadedSkills['skills'][number]>();
  const files = new Map<string, AgentFile>();
  for (const folder of folders) {
    const loaded = await loadSkills(folder);
    for (const skill of loaded.skills) {
      // The whole folder of a skill is one thing: nothing of the one below shows through.
      for (const path of files.keys()) if (path.startsWith(`${SKILLS_DIRECTORY}/${skill.name}/`)) files.delete(path);
      skills.set(skill.name, skill);
    }
    for (const file of loaded.files) files.set(file.path, file);
  }
  const byName = [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { skills: byName, files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

interface Instructions {
  readonly text: string;
  readonly files: readonly string[];
}

/** The file that the definition names, out of the nearest folder that has it, and what layers above add to it. */
async function readInstructions({ layers, definition, complain }: ReadDefinition): Promise<Instructions> {
  const { instructions } = definition;
  const path = beside(instructions);
  if (path === undefined)
    throw new InvalidDefinitions([
      complain(['instructions'], `instructions: expected a file beside this one, found '${instructions}'`),
    ]);
  const own = layers.at(-1)!.folder;
  let at = layers.length - 1;
  while (at > 0 && !(await isThere(join(layers[at]!.folder, path)))) at -= 1;
  // Where no layer has it, it is missing beside the agent itself.
  const folder = (await isThere(join(layers[at]!.folder, path))) ? layers[at]!.folder : own;
  const texts = [{ file: join(folder, path), text: await instructionsText(join(folder, path), folder) }];
  for (const layer of layers) {
    for (const file of additionsOf(layer)) texts.push({ file, text: await instructionsText(file, layer.folder) });
  }
  const [first, ...more] = texts;
  const text = more.length === 0 ? first!.text : `${texts.map((one) => one.text.trim()).join('\n\n')}\n`;
  return { text, files: texts.map(({ file }) => file) };
}

/** The files that a layer adds to the instructions. */
function additionsOf({ document, folder }: AgentLayer): readonly string[] {
  const { value } = document;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MORE_INSTRUCTIONS)) return [];
  const given = (value as Record<string, unknown>)[MORE_INSTRUCTIONS];
  const path = typeof given === 'string' ? beside(given) : undefined;
  if (path === undefined)
    throw new InvalidDefinitions([
      document.complain([MORE_INSTRUCTIONS], `${MORE_INSTRUCTIONS}: expected a file beside this one`),
    ]);
  return [join(folder, path)];
}

/** A path that stays in its folder; undefined for any other. */
function beside(given: string): string | undefined {
  const path = normalize(given);
  return path === '.' || path.startsWith('..') || path.startsWith(sep) || path.includes('\0') ? undefined : path;
}

async function instructionsText(file: string, folder: string): Promise<string> {
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
