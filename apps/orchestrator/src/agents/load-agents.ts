import {
  DefinitionSet,
  listFolders,
  formatProblem,
  InvalidDefinitions,
  ReloadingValue,
  loadUsableDefinitions,
  UnusableAgent,
  type DefinitionProblem,
  type DefinitionPath,
  type Loaded,
  type LoadedAgent,
  type Variables,
} from '@phaseline/definitions';
import type { AgentDetail, AgentList, AgentValidation, ValidateAgentRequest } from '@phaseline/client';
import { basename, dirname } from 'node:path';
import { listDeclaredSecrets } from '@phaseline/contracts';
import type { AgentDefinition, Workflow } from '@phaseline/domain';
import {
  InputsMissing,
  listStateAgents,
  type AgentSource,
  type ResolvedAgent,
  type ResolvedDefinition,
} from '@phaseline/orchestration';
import type { SecretStore } from '@phaseline/identity';
import { packSpecs } from '@phaseline/pack-specs';
import type { SandboxSettings } from '@phaseline/sandbox';
import { exitCode, StartupError } from '@phaseline/service';
import { z } from 'zod';
import { describeAgent, summariseAgent } from './describe-agent.js';
import { ToolListing } from './tool-listing.js';
import { validateAgentFiles } from './validate-agent-files.js';
import { withTenantSettings } from './with-tenant-settings.js';

/** Injection token of `Agents`. */
export const AGENTS = Symbol('agents');

/**
 * Agents that new jobs can be submitted to, from the current definition files. Jobs keep the definitions they started
 * with.
 */
export interface Agents extends AgentSource {
  resolve(name: string, tenant: string): Promise<ResolvedAgent>;
  list(): AgentList;
  /** Names of the agents to which no guard may be promoted. */
  listFrozen(): readonly string[];
  /** Throws UnknownDefinition, or UnusableAgent if the agent has no valid version. */
  describe(name: string): AgentDetail;
  /** Checks files as an agent, with the other definitions of this server. Stores nothing. */
  validate(request: ValidateAgentRequest): Promise<AgentValidation>;
  /** Throws UnknownDefinition when there is no model profile of this name. */
  checkModel(name: string): Promise<void>;
  /** Loads definitions that changed since the last check. Never throws. */
  refresh(): Promise<void>;
}

/** Callbacks for changes of definitions. */
export interface AgentChangeListener {
  /** Called with agents that are new or have a new version. */
  onChanged(names: readonly string[]): void;
  /** Called with errors in changed definitions; the last valid versions stay in use. */
  onBroken(problems: readonly string[]): void;
  /** Called with a warning that a definition may not work as its author expects. */
  onWarning?(text: string): void;
}

/**
 * Thrown at startup when agents, workflows or models are invalid. The message names each file and line, and what was
 * expected there.
 */
class DefinitionsUnusable extends StartupError {
  readonly code = 'definitions_invalid';
  readonly exitCode = exitCode.config;
}

/** Only workers call models; here only the existence of the profiles that agents name is checked. */
const modelSchema = z.looseObject({ name: z.string() });

/** An agent with its workflow; the two are loaded and kept together. */
interface Pair {
  readonly name: string;
  readonly agent: LoadedAgent;
  readonly workflow: Loaded<Workflow>;
}

interface Catalogue {
  readonly pairs: DefinitionSet<Pair>;
  readonly models: DefinitionSet<Loaded<{ readonly name: string }>>;
  readonly problems: readonly DefinitionProblem[];
  /** Agents in an older version than their files, because the files are invalid. */
  readonly outdated: ReadonlySet<string>;
  /** Agents without any valid version, with their errors. */
  readonly unusable: ReadonlyMap<string, readonly string[]>;
}

/** Loads the agents and keeps them up to date. Throws DefinitionsUnusable when a definition is invalid at the start. */
export async function loadAgents(folders: {
  readonly agentsDir: DefinitionPath;
  readonly workflowsDir: DefinitionPath;
  readonly modelsDir: DefinitionPath;
  readonly variables: Variables;
  /** Networks that MCP servers may be in. */
  readonly allowedNetworks?: readonly string[];
  /** How MCP servers are contained while their tools are listed. Default: by what this machine has. */
  readonly sandbox?: SandboxSettings;
  /** Secrets that MCP servers need to list their tools. */
  readonly secrets?: Pick<SecretStore, 'read' | 'findMissing'>;
  readonly news?: AgentChangeListener;
}): Promise<Agents> {
  const { allowedNetworks = [], sandbox, secrets, news, ...places } = folders;
  const tools = new ToolListing(allowedNetworks, {
    secrets,
    onWarning: (text) => news?.onWarning?.(text),
    ...(sandbox ? { sandbox } : {}),
  });
  const catalogue = await ReloadingValue.open<Catalogue>(
    [places.agentsDir, places.workflowsDir, places.modelsDir].flatMap(listFolders),
    async (before) => {
      const current = await readCatalogue(places, before);
      if (before) reportChanges(before, current, news);
      return current;
    },
  );
  return {
    resolve: async (name, tenant) => {
      // Check now, so that a job submitted after an edit uses it. If the check fails, use the definitions already
      // loaded.
      const { pairs, unusable } = await catalogue.refresh().catch(() => catalogue.current);
      if (unusable.has(name)) throw new UnusableAgent(name, unusable.get(name)!);
      const { agent, workflow } = pairs.get(name);
      const resolveOne = async ({
        definition,
        hash,
        instructions,
        files,
      }: LoadedAgent): Promise<ResolvedDefinition> => {
        if (secrets) await requireSecrets(secrets, definition, tenant);
        const ofTenant = withTenantSettings(definition, tenant);
        return { definition: await tools.withListedTools(ofTenant, tenant), hash, instructions, files };
      };
      const named = listStateAgents(workflow.definition, name).map((other) => {
        if (unusable.has(other)) throw new UnusableAgent(other, unusable.get(other)!);
        return pairs.get(other).agent;
      });
      const own = await resolveOne(agent);
      const agents: ResolvedDefinition[] = [];
      for (const one of named) agents.push(await resolveOne(one));
      return { ...own, workflow: workflow.definition, workflowHash: workflow.hash, agents };
    },
    list: () => toAgentList(catalogue.current),
    listFrozen: () =>
      [...catalogue.current.pairs].filter(({ agent }) => agent.definition.frozen).map(({ name }) => name),
    describe: (name) => describeFrom(catalogue.current, name),
    validate: (request) => validateAgentFiles(request, { ...places, modelSchema }),
    checkModel: async (name) => void (await catalogue.refresh().catch(() => catalogue.current)).models.get(name),
    refresh: async () => void (await catalogue.refresh().catch(() => undefined)),
  };
}

/** Refuses a job whose tools or verifiers would fail for lack of a secret. Throws InputsMissing. */
async function requireSecrets(
  secrets: Pick<SecretStore, 'findMissing'>,
  { name: agent, settings = {}, verifiers = [] }: AgentDefinition,
  tenant: string,
): Promise<void> {
  const ofVerifiers = verifiers.flatMap((verifier) => verifier.secrets ?? []);
  const declared = [...new Set([...listDeclaredSecrets(settings), ...ofVerifiers])];
  const missing = await secrets.findMissing({ tenant, agent }, declared);
  if (missing.length === 0) return;
  throw new InputsMissing(
    agent,
    missing.map((name) => ({
      path: `secrets.${name}`,
      message: `the secret ${name}, which the tenant ${tenant} does not have (an operator can store it: phaseline secrets set ${name} --tenant ${tenant})`,
    })),
  );
}

async function readCatalogue(
  places: Omit<Parameters<typeof loadAgents>[0], 'allowedNetworks' | 'sandbox' | 'secrets' | 'news'>,
  before: Catalogue | undefined,
): Promise<Catalogue> {
  const { agents, workflows, models, brokenAgents, problems } = await loadUsableDefinitions({
    ...places,
    modelSchema,
    tools: packSpecs.flatMap(({ tools }) => tools),
    allowOtherTools: true,
  });
  if (!before && problems.length > 0) throw new DefinitionsUnusable(new InvalidDefinitions(problems).message);
  // When the whole folder is missing, a mount has probably failed, because it is unlikely that every agent was removed.
  if (before && agents.names.length + brokenAgents.length === 0)
    return {
      pairs: before.pairs,
      models: before.models,
      problems,
      outdated: new Set(before.pairs.names),
      unusable: before.unusable,
    };
  const pairs: Pair[] = [];
  const outdated = new Set<string>();
  const unusable = new Map<string, readonly string[]>();
  for (const name of [...agents.names, ...brokenAgents]) {
    const agent = agents.find(name);
    const workflow = agent && workflows.find(agent.definition.workflow);
    const previous = before?.pairs.find(name);
    if (workflow) pairs.push({ name, agent, workflow });
    else if (previous) {
      pairs.push(previous);
      outdated.add(name);
    } else unusable.set(name, findProblemsOf(name, problems).map(formatProblem));
  }
  return {
    pairs: new DefinitionSet('agent', pairs),
    models,
    problems,
    outdated,
    unusable,
  };
}

/**
 * Returns the errors in the agent's own files, or all errors when there are none: an invalid workflow or parent agent
 * affects it as well.
 */
function findProblemsOf(name: string, problems: readonly DefinitionProblem[]): readonly DefinitionProblem[] {
  const own = problems.filter(({ file }) => basename(dirname(file)) === name);
  return own.length > 0 ? own : problems;
}

function reportChanges(before: Catalogue, current: Catalogue, news: AgentChangeListener | undefined): void {
  const taken = [...current.pairs].filter(({ name, agent, workflow }) => {
    const previous = before.pairs.find(name);
    return previous?.agent.hash !== agent.hash || previous.workflow.hash !== workflow.hash;
  });
  if (taken.length > 0) news?.onChanged(taken.map(({ name }) => name));
  if (current.problems.length > 0) news?.onBroken(current.problems.map(formatProblem));
}

function describeFrom({ pairs, problems, outdated, unusable }: Catalogue, name: string): AgentDetail {
  if (unusable.has(name)) throw new UnusableAgent(name, unusable.get(name)!);
  const { agent, workflow } = pairs.get(name);
  const isOutdated = outdated.has(name);
  return describeAgent(agent, {
    workflow: workflow.definition,
    isOutdated,
    problems: isOutdated ? findProblemsOf(name, problems) : [],
  });
}

function toAgentList({ pairs, problems, outdated, unusable }: Catalogue): AgentList {
  return {
    items: pairs.names.map((name) => summariseAgent(pairs.get(name).agent, outdated.has(name))),
    ...(unusable.size > 0 ? { unusable: [...unusable.keys()] } : {}),
    ...(problems.length > 0 ? { problems: problems.map((problem) => ({ ...problem })) } : {}),
  };
}
