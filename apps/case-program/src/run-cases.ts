import { dirname, join } from 'node:path';
import { findCaseFiles, loadCase, runCase, type LoadedCase } from '@phaseline/cases';
import type { CaseMessage, CaseResult, RunCasesRequest } from '@phaseline/contracts';
import {
  formatProblem,
  InvalidDefinitions,
  loadUsableDefinitions,
  type LoadedDefinitions,
} from '@phaseline/definitions';
import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import { packSpecs } from '@phaseline/pack-specs';
import { openRealModel } from './real-model.js';

/** A file of a case, and the agent beside which it is. */
interface FoundCase {
  readonly file: string;
  readonly agent?: string;
}

/** Runs the cases of a request, one after the other. A case that cannot be run fails with the reason. Throws InvalidDefinitions. */
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
    const run = await runCase(loaded, { definitions, agent, realModel, signal: new AbortController().signal }).catch(
      (error: Error) => ({
        agent: loaded.definition.agent ?? agent ?? '',
        failures: [{ expectation: 'agent', expected: 'a job that can be submitted', found: error.message }],
      }),
    );
    const result: CaseResult = {
      name: loaded.definition.name,
      agent: run.agent,
      file,
      model: realModel ? 'real' : kind,
      passed: run.failures.length === 0,
      durationMs: Math.round(performance.now() - started),
      failures: run.failures.map((failure) => ({ ...failure })),
    };
    yield { kind: 'ran', result };
  }
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
