import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, normalize, relative, sep } from 'node:path';
import { InvalidDefinitions } from '../definition-errors.js';
import { suggestNear } from '../definition/near-matches.js';
import { readTextFile } from '../file/read-text-file.js';
import { readYaml, type YamlDocument } from '../yaml/parse-yaml.js';
import { MAX_DEFINITION_BYTES } from '../yaml/read-yaml-file.js';

/** One of the files that make up an agent. */
export interface AgentLayer {
  readonly document: YamlDocument;
  readonly folder: string;
  /** Folder of agents that contains it. */
  readonly agentsDir: string;
  /** Agent that the file defines; absent for another file in an agent's folder. */
  readonly agent?: string;
}

/** Keys that name the extended definition. `$extends` suits JSON files that also have a `$schema`. */
export const EXTENDS = ['extends', '$extends'] as const;
const ENDINGS = ['.yaml', '.yml', '.json'];
/** Maximum length of a chain of definitions. */
const MAX_LAYERS = 20;

/**
 * Reads the files of an agent: the definitions that it extends, outermost first, then its own. Throws InvalidDefinitions if
 * a file is missing or the definitions extend each other in a circle.
 */
export async function readAgentLayers(dirs: readonly string[], agent: string): Promise<readonly AgentLayer[]> {
  const layers: AgentLayer[] = [];
  let layer: AgentLayer | undefined = await readAgentFile(await agentsDirOf(dirs, agent), agent);
  while (layer) {
    layers.unshift(layer);
    const parent: AgentLayer | undefined = await readParent(dirs, layer);
    const repeatedIndex = parent && layers.findIndex(({ document }) => document.file === parent.document.file);
    if (parent && (repeatedIndex !== -1 || layers.length >= MAX_LAYERS))
      throw buildChainError(layers, parent, repeatedIndex ?? -1);
    layer = parent;
  }
  return layers;
}

/** The last folder that contains the agent, or the last folder of all, which is then named in the error. */
async function agentsDirOf(dirs: readonly string[], agent: string): Promise<string> {
  for (const dir of dirs.toReversed()) if ((await agentsIn(dir)).includes(agent)) return dir;
  return dirs.at(-1) ?? '.';
}

async function agentsIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.name.startsWith('.') && !entry.isFile()).map(({ name }) => name);
}

/** Reads the definition in the folder of an agent, with any of the supported extensions. */
async function readAgentFile(agentsDir: string, agent: string): Promise<AgentLayer> {
  const folder = join(agentsDir, agent);
  const names = await readdir(folder).catch((): string[] => []);
  const [first = 'agent.yaml', second] = ENDINGS.map((ending) => `agent${ending}`).filter((name) =>
    names.includes(name),
  );
  if (second !== undefined)
    throw new InvalidDefinitions([
      { file: join(folder, second), message: `expected one definition of the agent, also found ${first}` },
    ]);
  return { document: await read(join(folder, first), agentsDir), folder, agentsDir, agent };
}

async function read(file: string, within: string): Promise<YamlDocument> {
  return readYaml(await readTextFile(file, { maxBytes: MAX_DEFINITION_BYTES, within }), file);
}

async function readParent(dirs: readonly string[], layer: AgentLayer): Promise<AgentLayer | undefined> {
  const { document, folder, agentsDir, agent } = layer;
  const { value } = document;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const given = EXTENDS.filter((key) => Object.hasOwn(value, key));
  const [key] = given;
  if (key === undefined) return undefined;
  const refuse = (message: string): InvalidDefinitions =>
    new InvalidDefinitions([document.problemAt([key], `${key}: ${message}`)]);
  if (given.length > 1) throw refuse("expected one of 'extends' and '$extends', found both");
  const wanted = (value as Record<string, unknown>)[key];
  if (typeof wanted !== 'string' || wanted.trim() === '')
    throw refuse("expected the name of an agent, or a file beside this one such as './base.yaml'");
  if (ENDINGS.includes(extname(wanted)) || wanted.startsWith('.')) {
    const path = normalize(wanted);
    if (path.startsWith('..') || path.startsWith(sep) || path.includes(sep) || path.includes('\0'))
      throw refuse(`expected a file beside this one, found '${wanted}'`);
    const names = await readdir(folder).catch((): string[] => []);
    if (!names.includes(path)) throw refuse(`there is no file '${path}' beside this one${suggestNear(path, names)}`);
    return { document: await read(join(folder, path), folder), folder, agentsDir };
  }
  // An agent that extends its own name extends the one that it overrides.
  const below = wanted === basename(folder) ? dirs.slice(0, dirs.indexOf(agentsDir)) : [];
  const searched = below.length > 0 ? below : dirs;
  const agents = (await Promise.all(searched.map(agentsIn))).flat();
  if (!agents.includes(wanted)) {
    const others = [...new Set(agents)].filter((name) => name !== agent).sort();
    throw refuse(`there is no agent '${wanted}'${suggestNear(wanted, others)}; known: ${others.join(', ') || 'none'}`);
  }
  return readAgentFile(await agentsDirOf(searched, wanted), wanted);
}

/**
 * Builds the error for a circle or a chain that is too long. It is reported in the file where the circle begins,
 * regardless of where loading started.
 */
function buildChainError(layers: readonly AgentLayer[], parent: AgentLayer, at: number): InvalidDefinitions {
  const nameOf = ({ agent, document }: AgentLayer): string =>
    agent ?? `${basename(dirname(document.file))}/${relative(dirname(document.file), document.file)}`;
  const start = at === -1 ? layers[0]! : layers[at]!;
  const chain = layers.slice(0, at === -1 ? layers.length : at + 1).toReversed();
  const key = EXTENDS.find((name) => Object.hasOwn(start.document.value as object, name))!;
  const what =
    at === -1
      ? `expected at most ${MAX_LAYERS} definitions that extend one another`
      : 'they extend one another in a circle';
  const names = [...chain.map(nameOf), nameOf(parent)].join(' → ');
  return new InvalidDefinitions([start.document.problemAt([key], `${key}: ${what}: ${names}`)]);
}
