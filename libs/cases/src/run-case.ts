import type { Guard } from '@phaseline/domain';
import type { Definitions } from '@phaseline/definitions';
import type { ModelCatalogue } from '@phaseline/execution';
import { modelProfileSchema, type ChatModel, type ModelProfile } from '@phaseline/model';
import { listStateAgents, type JobRequest, type ResolvedAgent } from '@phaseline/orchestration';
import type { CaseDefinition } from './case-schema.js';
import { evaluateCase, type CaseFailure } from './evaluate-case.js';
import { readJobFacts } from './job-facts.js';
import type { LoadedCase } from './load-cases.js';
import { playJob } from './play-job.js';
import { ScriptedModel } from './scripted-model.js';
import { buildPacks } from './scripted-packs.js';

export interface CaseParts {
  readonly definitions: Definitions<{ readonly name: string }>;
  /** The agent of cases that name none. */
  readonly agent?: string | undefined;
  /** A real model that is called once the answers of a recorded case are used up, and for every call of a scripted one. */
  readonly realModel?: RealModel | undefined;
  /** A guard that each phase has in addition to those of its agent. */
  readonly guard?: Guard | undefined;
  readonly signal: AbortSignal;
}

export interface RealModel {
  readonly profile: ModelProfile;
  readonly model: ChatModel;
  readonly contextTokens: number;
}

export interface CaseRun {
  readonly agent: string;
  readonly failures: readonly CaseFailure[];
}

/** Runs a case and compares what became of its job with what it expects. Throws UnknownDefinition, and what a submission throws. */
export async function runCase(one: LoadedCase, parts: CaseParts): Promise<CaseRun> {
  const { definition, documents } = one;
  const name = definition.agent ?? parts.agent;
  if (name === undefined)
    return {
      agent: '',
      failures: [
        { expectation: 'agent', expected: 'the name of an agent', found: 'none, and no agent is beside the case' },
      ],
    };
  const script = new ScriptedModel(parts.realModel && definition.model.script ? [] : one.answers);
  const played = await playJob({
    agent: resolveAgent(parts.definitions, name),
    request: buildRequest(definition, name, documents),
    packs: buildPacks(definition.tools ?? {}),
    models: buildModels(definition, script, parts.realModel),
    guards: parts.guard ? [parts.guard] : [],
    isOver: () => parts.realModel === undefined && script.isUsedUp,
    signal: parts.signal,
  });
  const facts = await readJobFacts(played);
  const failures = await evaluateCase(definition.expect, facts, script.prompts, played.log.blobs);
  return { agent: name, failures: [...failures, ...findUnusedAnswers(definition, script, parts, failures.length)] };
}

/** Answers that were not given explain why a case fails; a case that passes without them expects less than its author wrote. */
function findUnusedAnswers(
  { model }: CaseDefinition,
  script: ScriptedModel,
  { realModel }: CaseParts,
  failures: number,
): readonly CaseFailure[] {
  const unused = script.countUnused();
  if (realModel || unused === 0 || (model.recorded !== undefined && failures === 0)) return [];
  return [{ expectation: 'model', expected: 'every answer is given', found: `${unused} answers are left` }];
}

function buildRequest(
  { task, parameters, budgets }: CaseDefinition,
  agent: string,
  documents: LoadedCase['documents'],
): JobRequest {
  return {
    agent,
    ...(task === undefined ? {} : { instructions: task }),
    ...(documents.length === 0 ? {} : { documents }),
    ...(parameters ? { parameters } : {}),
    ...(budgets ? { budgets } : {}),
  };
}

function resolveAgent({ agents, workflows }: CaseParts['definitions'], name: string): ResolvedAgent {
  const agent = agents.get(name);
  const workflow = workflows.get(agent.definition.workflow);
  return {
    ...agent,
    workflow: workflow.definition,
    workflowHash: workflow.hash,
    agents: listStateAgents(workflow.definition, name).map((other) => agents.get(other)),
  };
}

/** Every profile that the agent names is the model of the case, with the limits and the price that the case gives. */
function buildModels(
  { model: { contextTokens, maxOutputTokens, usdPerMillion } }: CaseDefinition,
  script: ScriptedModel,
  realModel: RealModel | undefined,
): ModelCatalogue {
  if (realModel) {
    const model: ChatModel = {
      complete: (request, options) => {
        if (script.countUnused() > 0) return script.complete(request);
        script.addPrompt(request);
        return realModel.model.complete(request, options);
      },
    };
    return { find: (name) => ({ ...realModel, model, profile: { ...realModel.profile, name } }) };
  }
  const profile = modelProfileSchema.parse({
    name: 'case',
    model: 'case',
    contextTokens,
    maxOutputTokens,
    prices: {
      inputUsdPerMillion: usdPerMillion,
      cachedInputUsdPerMillion: usdPerMillion,
      outputUsdPerMillion: usdPerMillion,
    },
  });
  return { find: (name) => ({ profile: { ...profile, name }, model: script, contextTokens }) };
}
