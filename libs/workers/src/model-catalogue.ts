import { countTokens } from '@phaseline/context';
import { loadModelProfiles, ReloadingValue } from '@phaseline/definitions';
import { createOpenAiModel, discoverContextTokens, modelProfileSchema, type ModelProfile } from '@phaseline/model';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/execution';
import { modelFolders, type WorkerConfig } from './worker-config.js';

/** Context size in tokens when neither the profile nor the server specifies one. */
const DEFAULT_CONTEXT_TOKENS = 32_768;

/** Minimum interval in milliseconds between checks for changed profiles, since a phase asks before every call. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Opens the models of this worker, each when it is first used. `default` means the profile that the configuration
 * names. Changed profiles apply to the next call; when a change is broken, the previous profiles are kept and
 * `onBroken` is called. Throws InvalidDefinitions when a profile file is invalid at the start.
 */
export async function openModels(config: WorkerConfig, onBroken: (error: Error) => void): Promise<ModelCatalogue> {
  type Profiles = Awaited<ReturnType<typeof loadModelProfiles<ModelProfile>>>;
  const profiles = await ReloadingValue.open<Profiles>(modelFolders(config), async (before) => {
    const loading = loadModelProfiles(modelFolders(config), modelProfileSchema, variablesOf(config));
    if (!before) return loading;
    return loading.catch((error: Error) => {
      onBroken(error);
      return before;
    });
  });
  const opened = new Map<string, { readonly hash: string; readonly model: Promise<ConfiguredModel> }>();
  let checkedAt = performance.now();
  return {
    find: async (requestedName) => {
      const name = requestedName === 'default' ? config.PHASELINE_DEFAULT_MODEL_PROFILE : requestedName;
      // An unknown profile may have been added together with the agent that names it.
      if (performance.now() - checkedAt >= CHECK_INTERVAL_MS || !profiles.current.find(name)) {
        checkedAt = performance.now();
        await profiles.refresh().catch(onBroken);
      }
      const loaded = profiles.current.find(name);
      if (!loaded) return undefined;
      const known = opened.get(name);
      if (known && known.hash === loaded.hash) return known.model;
      const opening = { hash: loaded.hash, model: openModel(loaded.definition, config) };
      opened.set(name, opening);
      // A server that is unreachable now may answer next time.
      opening.model.catch(() => opened.get(name) === opening && opened.delete(name));
      return opening.model;
    },
  };
}

function variablesOf(config: WorkerConfig): Readonly<Record<string, string | undefined>> {
  return {
    PHASELINE_MODEL: config.PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS: config.PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT_USD_PER_MILLION: config.PHASELINE_PRICE_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION: config.PHASELINE_PRICE_CACHED_INPUT_USD_PER_MILLION,
    PHASELINE_PRICE_OUTPUT_USD_PER_MILLION: config.PHASELINE_PRICE_OUTPUT_USD_PER_MILLION,
  };
}

async function openModel(profile: ModelProfile, config: WorkerConfig): Promise<ConfiguredModel> {
  const endpoint = { baseUrl: config.OPENAI_BASE_URL, apiKey: config.OPENAI_API_KEY };
  const contextTokens =
    profile.contextTokens ??
    (await discoverContextTokens({ ...endpoint, model: profile.model })) ??
    DEFAULT_CONTEXT_TOKENS;
  return { profile, contextTokens, model: createOpenAiModel({ ...endpoint, profile, countTokens }) };
}
