import { dirname, join } from 'node:path';
import { findCaseFiles, loadCase, runCase, type CaseRun, type LoadedCase } from '@phaseline/cases';
import type { CaseMessage, CaseResult, RunCasesRequest } from '@phaseline/contracts';
import {
  formatProblem,
  InvalidDefinitions,
  loadUsableDefinitions,
  type LoadedDefinitions,
} from '@phaseline/definitions';
import { parseGuard } from '@phaseline/domain';
import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import { packSpecs } from '@phaseline/pack-specs';
import { openRealModel } from './real-model.js';

/** A file of a case, and the agent beside which it is. */
interface FoundCase {
  readonly file: string;
  readonly agent?: string;
}

/**
 * Runs the cases of a request, one after the other, and those that pass once more with the guard that is tried. A case that cannot be run fails
 * with the reason. Throws InvalidDefinitions.
 */
export async function* runCases(
  request: RunCasesRequest,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<CaseMessage, void, undefined> {
  const definitions = await loadUsableDefinitions({
    ...request.folders,
    modelSchema: modelProfileSchema,
    tools: packSpecs.flatMap(({ tools }) => tools),
    allowOtherTools: true,
    variables: env,
  });
  const found = await findCases(request, definitions);
  const { model } = request;
  const realModel =
    model === undefined || model === 'scripted' || model === 'recorded'
      ? undefined
      : await openRealModel(definitions.models.get(model).definition, env);
  const guard = request.guard && { ...parseGuard(request.guard), stage: 'production' as const };
  for (const { file, agent } of found) {
    const loaded = await tryLoading(file);
    if ('problems' in loaded) {
      yield { kind: 'invalid', problems: loaded.problems };
      continue;
    }
    const kind = loaded.definition.model.recorded === undefined ? 'scripted' : 'recorded';
    if (request.case !== undefined && loaded.definition.name !== request.case) continue;
    if ((model === 'scripted' || model === 'recorded') && kind !== model) continue;
    const started = performance.now();
    const parts = { definitions, agent, realModel, signal: new AbortController().signal };
    const run = await tryRunning(loaded, parts);
    const passed = run.failures.length === 0;
    const guarded = guard && passed ? await tryRunning(loaded, { ...parts, guard }) : undefined;
    const result: CaseResult = {
      name: loaded.definition.name,
      agent: run.agent,
      file,
      model: realModel ? 'real' : kind,
      passed,
      durationMs: Math.round(performance.now() - started),
      failures: [...run.failures],
      ...(guarded ? { guarded: { passed: guarded.failures.length === 0, failures: [...guarded.failures] } } : {}),
    };
    yield { kind: 'ran', result };
  }
}

async function tryRunning(one: LoadedCase, parts: Parameters<typeof runCase>[1]): Promise<CaseRun> {
  return runCase(one, parts).catch((error: Error) => ({
    agent: one.definition.agent ?? parts.agent ?? '',
    failures: [{ expectation: 'agent', expected: 'a job that can be submitted', found: error.message }],
  }));
}

async function findCases(
  { agent, casesFolder }: RunCasesRequest,
  { agents, problems, brokenAgents }: LoadedDefinitions<ModelProfile>,
): Promise<readonly FoundCase[]> {
  if (casesFolder !== undefined) return (await findCaseFiles(casesFolder)).map((file) => ({ file }));
  if (agent !== undefined && brokenAgents.includes(agent)) throw new InvalidDefinitions(problems);
  const found: FoundCase[] = [];
  for (const one of agent === undefined ? agents : [agents.get(agent)])
    for (const file of await findCaseFiles(join(dirname(one.file), 'cases'))) found.push({ file, agent: one.name });
  return found;
}

async function tryLoading(file: string): Promise<LoadedCase | { readonly problems: string[] }> {
  try {
    return await loadCase(file);
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    return { problems: error.problems.map(formatProblem) };
  }
}
