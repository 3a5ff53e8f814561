import type { RealModel } from '@phaseline/cases';
import { countTokens } from '@phaseline/context';
import { createOpenAiModel, discoverContextTokens, type ModelProfile } from '@phaseline/model';

/** Context size in tokens when neither the profile nor the server specifies one, as in workers. */
const DEFAULT_CONTEXT_TOKENS = 32_768;

/** Opens the model of a profile at OPENAI_BASE_URL, as workers do. */
export async function openRealModel(profile: ModelProfile, env: NodeJS.ProcessEnv): Promise<RealModel> {
  const endpoint = {
    baseUrl: env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1',
    apiKey: env['OPENAI_API_KEY'] ?? '',
  };
  const contextTokens =
    profile.contextTokens ??
    (await discoverContextTokens({ ...endpoint, model: profile.model })) ??
    DEFAULT_CONTEXT_TOKENS;
  return { profile, contextTokens, model: createOpenAiModel({ ...endpoint, profile, countTokens }) };
}
