import {
  DefinitionSet,
  foldersOf,
  formatComplaint,
  InvalidDefinitions,
  Reloaded,
  tryDefinitions,
  UnusableAgent,
  type Complaint,
  type DefinitionPath,
  type Loaded,
  type LoadedAgent,
  type Variables,
} from '@phaseline/definitions';
import { basename, dirname } from 'node:path';
import type { Workflow } from '@phaseline/domain';
import type { AgentSource, ResolvedAgent } from '@phaseline/orchestration';
import { exitCode, StartupError } from '@phaseline/service';
import { z } from 'zod';
import type { AgentList } from './agent-list.js';
import { ToolListing } from './tool-listing.js';

/** Token of `Agents`. */
export const AGENTS = Symbol('agents');

/** The agents that new jobs can be submitted to, as their folders have them now; jobs keep what they began with. */
export interface Agents extends AgentSource {
  resolve(name: string): Promise<ResolvedAgent>;
  list(): AgentList;
  /** Throws UnknownDefinition where there is no model profile of this name. */
  checkModel(name: string): Promise<void>;
  /** Takes what has changed since it was last looked at. Never throws. */
  refresh(): Promise<void>;
}

/** Told when definitions have changed. */
export interface AgentNews {
  /** Agents that new jobs get in a new version, or for the first time. */
  taken(names: readonly string[]): void;
  /** What cannot be used; where there was a good version before, that one is kept. */
  broken(complaints: readonly string[]): void;
  /** Something that works in another way than its author may think. */
  remark?(text: string): void;
}

/** Agents, workflows or models cannot be used as they are; the message names each file, line and what was expected there. */
export class DefinitionsUnusable extends StartupError {
  readonly code = 'DEFINITIONS_UNUSABLE';
  readonly exitCode = exitCode.config;
}

/** Only workers call models. Here it matters that the profiles that agents name exist. */
const modelSchema = z.looseObject({ name: z.string() });

/** An agent with the workflow that belongs to it: they are taken and kept together. */
interface Pair {
  readonly name: string;
  readonly agent: LoadedAgent;
  readonly workflow: Loaded<Workflow>;
}

interface Catalogue {
  readonly pairs: DefinitionSet<Pair>;
  readonly models: DefinitionSet<Loaded<{ readonly name: string }>>;
  readonly complaints: readonly string[];
  /** Agents that are there in an older version than their files, because those are broken. */
  readonly outdated: ReadonlySet<string>;
  /** Agents that are there and have no version that can be used, with what is wrong with them. */
  readonly unusable: ReadonlyMap<string, readonly string[]>;
}

/** Throws DefinitionsUnusable: nothing that is broken is there to begin with. */
export async function loadAgents(folders: {
  readonly agentsDir: DefinitionPath;
  readonly workflowsDir: DefinitionPath;
  readonly modelsDir: DefinitionPath;
  readonly variables: Variables;
  /** That MCP servers may be in. */
  readonly allowedNetworks?: readonly string[];
  readonly news?: AgentNews;
}): Promise<Agents> {
  const { allowedNetworks = [], news, ...places } = folders;
  const tools = new ToolListing(allowedNetworks, { onRemark: (text) => news?.remark?.(text) });
  const catalogue = await Reloaded.open<Catalogue>(
    [places.agentsDir, places.workflowsDir, places.modelsDir].flatMap(foldersOf),
    async (before) => {
      const now = await readCatalogue(places, before);
      if (before) tell(before, now, news);
      return now;
    },
  );
  return {
    resolve: async (name) => {
      // Looked at now, so that a job which is submitted behind an edit has it. Where that fails, what is known will do.
      const { pairs, unusable } = await catalogue.fresh().catch(() => catalogue.current);
      if (unusable.has(name)) throw new UnusableAgent(name, unusable.get(name)!);
      const { agent, workflow } = pairs.get(name);
      const { hash, instructions, files } = agent;
      const definition = await tools.listed(agent.definition);
      return { definition, hash, instructions, files, workflow: workflow.definition, workflowHash: workflow.hash };
    },
    list: () => listed(catalogue.current),
    checkModel: async (name) => void (await catalogue.fresh().catch(() => catalogue.current)).models.get(name),
    refresh: async () => void (await catalogue.fresh().catch(() => undefined)),
  };
}

async function readCatalogue(
  places: Omit<Parameters<typeof loadAgents>[0], 'allowedNetworks' | 'news'>,
  before: Catalogue | undefined,
): Promise<Catalogue> {
  const { agents, workflows, models, brokenAgents, complaints } = await tryDefinitions({ ...places, modelSchema });
  if (!before && complaints.length > 0) throw new DefinitionsUnusable(new InvalidDefinitions(complaints).message);
  // A folder that is gone as a whole is a mount that is away, and not somebody who gave up every agent.
  if (before && agents.names.length + brokenAgents.length === 0)
    return {
      pairs: before.pairs,
      models: before.models,
      complaints: complaints.map(formatComplaint),
      outdated: new Set(before.pairs.names),
      unusable: before.unusable,
    };
  const pairs: Pair[] = [];
  const outdated = new Set<string>();
  const unusable = new Map<string, readonly string[]>();
  for (const name of [...agents.names, ...brokenAgents]) {
    const agent = agents.find(name);
    const workflow = agent && workflows.find(agent.definition.workflow);
    const kept = before?.pairs.find(name);
    if (workflow) pairs.push({ name, agent, workflow });
    else if (kept) {
      pairs.push(kept);
      outdated.add(name);
    } else unusable.set(name, complaintsAbout(name, complaints).map(formatComplaint));
  }
  return {
    pairs: new DefinitionSet('agent', pairs),
    models,
    complaints: complaints.map(formatComplaint),
    outdated,
    unusable,
  };
}

/** Those of the agent's own files first; what is wrong with a workflow or with an agent below concerns it as well. */
function complaintsAbout(name: string, complaints: readonly Complaint[]): readonly Complaint[] {
  const own = complaints.filter(({ file }) => basename(dirname(file)) === name);
  return own.length > 0 ? own : complaints;
}

function tell(before: Catalogue, now: Catalogue, news: AgentNews | undefined): void {
  const taken = [...now.pairs].filter(({ name, agent, workflow }) => {
    const old = before.pairs.find(name);
    return old?.agent.hash !== agent.hash || old.workflow.hash !== workflow.hash;
  });
  if (taken.length > 0) news?.taken(taken.map(({ name }) => name));
  if (now.complaints.length > 0) news?.broken(now.complaints);
}

function listed({ pairs, complaints, outdated }: Catalogue): AgentList {
  return {
    items: pairs.names.map((name) => {
      const { definition, hash } = pairs.get(name).agent;
      const { displayName, description, workflow, deliverables } = definition;
      const old = outdated.has(name) ? { outdated: true as const } : {};
      return { name, displayName, description, workflow, deliverables, hash, ...old };
    }),
    ...(complaints.length > 0 ? { complaints: [...complaints] } : {}),
  };
}
