import { modelProfileSchema } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/execution';
import type { PhaseState } from '@phaseline/domain';
import type { RecordedRequest } from '../log/recorded-job.js';

/** Finds a model by the name of its profile; undefined if it is not known here. */
export type FindModel = (name: string) => ConfiguredModel | undefined;

/** More tokens than any recorded conversation has. */
const UNLIMITED_TOKENS = 1_000_000_000;

/**
 * A model with the limits that a recorded call shows, for a profile that is not known here. Its prices are not recorded, so what follows from
 * them cannot be compared. It is never called.
 */
export function buildRecordedModel(
  { start }: PhaseState,
  { model: name, maxOutputTokens, reasoning, summariseTokens }: RecordedRequest,
): ConfiguredModel {
  const profile = modelProfileSchema.parse({
    name: 'recorded',
    model: 'recorded',
    maxOutputTokens: Math.max(16, maxOutputTokens),
    reasoning: { sendBack: reasoning },
  });
  // The window limited the prompt only if the limit of the call is below that of the agent.
  const isLimited = summariseTokens < start.terms.context.summariseTokens;
  const contextTokens = isLimited ? summariseTokens + maxOutputTokens : UNLIMITED_TOKENS;
  return { profile: { ...profile, name }, model: { complete: refuseCall }, contextTokens };
}

function refuseCall(): Promise<never> {
  return Promise.reject(new Error('a recorded job is decided again without model calls'));
}
