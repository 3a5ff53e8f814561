import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import { plannerPolicy, startRehearsalServer } from '@phaseline/rehearsal';
import type { Engine, EngineOptions } from '../engine/engine.js';
import { createPlanner } from './planner.fixture.js';

const CONTEXT_TOKENS = 200_000;

export interface RehearsedPlanner {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Starts an engine in which the rehearsal model plays the planner. */
export async function startRehearsedPlanner(store: EngineOptions['store']): Promise<RehearsedPlanner> {
  const server = await startRehearsalServer({ policies: [plannerPolicy] });
  const profile = modelProfileSchema.parse({ name: 'default', model: 'rehearsal', contextTokens: CONTEXT_TOKENS });
  const countTokens = (text: string): number => text.length;
  const model = createOpenAiModel({ baseUrl: server.baseUrl, apiKey: '', profile, countTokens });
  const options = { model: { profile, model, contextTokens: CONTEXT_TOKENS } };
  return { engine: await createPlanner(store, () => ({}), options), close: () => server.close() };
}
