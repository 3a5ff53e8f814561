import { modelProfileSchema } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/execution';
import type { PhaseState } from '@phaseline/domain';
import type { RecordedRequest } from '../log/recorded-job.js';

/** More tokens than any recorded conversation has. */
const UNLIMITED_TOKENS = 1_000_000_000;

/** A model with the limits and prices that a recorded call shows. It is never called. */
export function buildRecordedModel(
  { start }: PhaseState,
  { model: name, maxOutputTokens, reasoning, summariseTokens, contextTokens, prices }: RecordedRequest,
): ConfiguredModel {
  // The window limited the prompt only if the limit of the call is below that of the agent.
  const isLimited = summariseTokens < start.terms.context.summariseTokens;
  const window = contextTokens ?? (isLimited ? summariseTokens + maxOutputTokens : UNLIMITED_TOKENS);
  const profile = modelProfileSchema.parse({
    name: 'recorded',
    model: 'recorded',
    // The answer of a call near the end of the window has less room than the profile allows, and the limit of the prompt follows from the profile.
    maxOutputTokens: Math.max(16, maxOutputTokens, isLimited ? window - summariseTokens : 0),
    reasoning: { sendBack: reasoning },
    ...(prices ? { prices } : {}),
  });
  return { profile: { ...profile, name }, model: { complete: refuseCall }, contextTokens: window };
}

function refuseCall(): Promise<never> {
  return Promise.reject(new Error('a recorded job is decided again without model calls'));
}
