import { ModelError } from '../model-error.js';
import { contextTokensSchema } from './model-profile.js';
import { classifyError } from '../transport/classify-error.js';
import { openEndpoint, type EndpointOptions } from '../transport/endpoint.js';
import { asCount, asList, asObject, type LooseObject } from '../wire/loose-json.js';

const TIMEOUT_MS = 10_000;

export interface DiscoverOptions extends EndpointOptions {
  /** The model by the server's name. */
  readonly model: string;
  readonly signal?: AbortSignal;
}

/**
 * Asks the server's `/models` how many tokens a call of the model can take: `meta.n_ctx` of llama.cpp, and what other
 * servers call the same. `undefined` when the server does not tell, or does not list the model: then the profile must
 * say it.
 *
 * @throws {ModelError} when the server cannot be asked.
 */
export async function discoverContextTokens(options: DiscoverOptions): Promise<number | undefined> {
  const endpoint = openEndpoint(options);
  const { model, signal } = options;
  try {
    const body = asObject(
      await endpoint.client.get<unknown>('/models', { timeout: TIMEOUT_MS, ...(signal ? { signal } : {}) }),
    );
    const models = asList(body?.data)
      .map(asObject)
      .filter((entry) => entry !== undefined);
    const found = models.find((entry) => entry.id === model) ?? (models.length === 1 ? models[0] : undefined);
    return found ? contextOf(found) : undefined;
  } catch (error) {
    const alarm = signal?.aborted ? 'aborted' : undefined;
    const classified = classifyError(error, { endpoint, model, profileName: model, alarm });
    if (classified instanceof ModelError && classified.code === 'model_not_found') return undefined;
    throw classified;
  }
}

/** Figures that a profile may not have either are not taken. `n_ctx_train` is left out: it is what the model was trained on, which the server rarely has the memory for. */
function contextOf(model: LooseObject): number | undefined {
  const meta = asObject(model.meta);
  const told = [meta?.n_ctx, model.max_model_len, model.context_length, model.context_window, model.max_context_length];
  return told.map(asCount).find((tokens) => contextTokensSchema.safeParse(tokens).success);
}
