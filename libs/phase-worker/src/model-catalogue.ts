import { countTokens } from '@phaseline/context';
import { loadModelProfiles } from '@phaseline/definitions';
import { createOpenAiModel, discoverContextTokens, modelProfileSchema, type ModelProfile } from '@phaseline/model';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/phase-runner';
import type { WorkerConfig } from './worker-config.js';

/** Used when neither the profile nor the server says how much fits into one call. */
const CAUTIOUS_CONTEXT_TOKENS = 32_768;

/**
 * The models of this worker by profile name, made when first asked for. `default` means the profile that the
 * configuration names. Throws InvalidDefinitions when a profile file is not right.
 */
export async function openModels(config: WorkerConfig): Promise<ModelCatalogue> {
  const profiles = await loadModelProfiles(config.PHASELINE_MODELS_DIR, modelProfileSchema, {
    PHASELINE_MODEL: config.PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS: config.PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT: config.PHASELINE_PRICE_INPUT,
    PHASELINE_PRICE_CACHED_INPUT: config.PHASELINE_PRICE_CACHED_INPUT,
    PHASELINE_PRICE_OUTPUT: config.PHASELINE_PRICE_OUTPUT,
  });
  const opened = new Map<string, Promise<ConfiguredModel>>();
  return {
    find: async (wanted) => {
      const name = wanted === 'default' ? config.PHASELINE_PROFILE : wanted;
      const loaded = profiles.find(name);
      if (!loaded) return undefined;
      const known = opened.get(name);
      if (known) return known;
      const opening = open(loaded.definition, config);
      opened.set(name, opening);
      // A server that is away now may answer the next time.
      opening.catch(() => opened.delete(name));
      return opening;
    },
  };
}

async function open(profile: ModelProfile, config: WorkerConfig): Promise<ConfiguredModel> {
  const endpoint = { baseUrl: config.OPENAI_BASE_URL, apiKey: config.OPENAI_API_KEY };
  const contextTokens =
    profile.contextTokens ??
    (await discoverContextTokens({ ...endpoint, model: profile.model })) ??
    CAUTIOUS_CONTEXT_TOKENS;
  return { profile, contextTokens, model: createOpenAiModel({ ...endpoint, profile, countTokens }) };
}
