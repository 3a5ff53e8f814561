import { countTokens } from '@phaseline/context';
import { loadModelProfiles, Reloaded } from '@phaseline/definitions';
import { createOpenAiModel, discoverContextTokens, modelProfileSchema, type ModelProfile } from '@phaseline/model';
import type { ConfiguredModel, ModelCatalogue } from '@phaseline/phase-runner';
import { modelFolders, type WorkerConfig } from './worker-config.js';

/** Used when neither the profile nor the server says how much fits into one call. */
const CAUTIOUS_CONTEXT_TOKENS = 32_768;

/** How often it is looked whether profiles have changed: a phase asks before every call. */
const LOOK_EVERY_MS = 1_000;

/**
 * The models of this worker by profile name, made when first asked for. `default` means the profile that the
 * configuration names. Profiles that change are taken for the next call; where a change is broken, those before it are kept and
 * `onBroken` is told. Throws InvalidDefinitions when a profile file is not right to begin with.
 */
export async function openModels(config: WorkerConfig, onBroken: (error: Error) => void): Promise<ModelCatalogue> {
  type Profiles = Awaited<ReturnType<typeof loadModelProfiles<ModelProfile>>>;
  const profiles = await Reloaded.open<Profiles>(modelFolders(config), async (before) => {
    const loading = loadModelProfiles(modelFolders(config), modelProfileSchema, variablesOf(config));
    if (!before) return loading;
    return loading.catch((error: Error) => {
      onBroken(error);
      return before;
    });
  });
  const opened = new Map<string, { readonly hash: string; readonly model: Promise<ConfiguredModel> }>();
  let looked = performance.now();
  return {
    find: async (wanted) => {
      const name = wanted === 'default' ? config.PHASELINE_PROFILE : wanted;
      // One that is not known may have come with the agent that names it.
      if (performance.now() - looked >= LOOK_EVERY_MS || !profiles.current.find(name)) {
        looked = performance.now();
        await profiles.fresh().catch(onBroken);
      }
      const loaded = profiles.current.find(name);
      if (!loaded) return undefined;
      const known = opened.get(name);
      if (known && known.hash === loaded.hash) return known.model;
      const opening = { hash: loaded.hash, model: open(loaded.definition, config) };
      opened.set(name, opening);
      // A server that is away now may answer the next time.
      opening.model.catch(() => opened.get(name) === opening && opened.delete(name));
      return opening.model;
    },
  };
}

function variablesOf(config: WorkerConfig): Readonly<Record<string, string | undefined>> {
  return {
    PHASELINE_MODEL: config.PHASELINE_MODEL,
    PHASELINE_CONTEXT_TOKENS: config.PHASELINE_CONTEXT_TOKENS,
    PHASELINE_PRICE_INPUT: config.PHASELINE_PRICE_INPUT,
    PHASELINE_PRICE_CACHED_INPUT: config.PHASELINE_PRICE_CACHED_INPUT,
    PHASELINE_PRICE_OUTPUT: config.PHASELINE_PRICE_OUTPUT,
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
