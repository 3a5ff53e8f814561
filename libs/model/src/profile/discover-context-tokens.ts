import { ModelError } from '../model-error.js';
import { contextTokensSchema } from './model-profile.js';
import { classifyError } from '../transport/classify-error.js';
import { openEndpoint, type EndpointOptions } from '../transport/endpoint.js';
import { asCount, asList, asObject, type LooseObject } from '../wire/loose-json.js';

const TIMEOUT_MS = 10_000;

export interface DiscoverOptions extends EndpointOptions {
  /** Name of the model on the server. */
  readonly model: string;
}

/**
 * Reads the context size of a model from the server's `/models`: `meta.n_ctx` of llama.cpp or the equivalent field of
 * other servers. Returns `undefined` if the server does not report it or does not list the model; then the profile must
 * set `contextTokens`.
 *
 * @throws {ModelError} if the request fails.
 */
export async function discoverContextTokens(options: DiscoverOptions): Promise<number | undefined> {
  const endpoint = openEndpoint(options);
  const { model } = options;
  try {
    const client = await endpoint.openClient();
    const body = asObject(await client.get<unknown>('/models', { timeout: TIMEOUT_MS }));
    const models = asList(body?.data)
      .map(asObject)
      .filter((entry) => entry !== undefined);
    const found = models.find((entry) => entry.id === model) ?? (models.length === 1 ? models[0] : undefined);
    return found ? readContextTokens(found) : undefined;
  } catch (error) {
    const classified = classifyError(error, { endpoint, model, profileName: model, alarm: undefined });
    if (classified instanceof ModelError && classified.code === 'model_not_found') return undefined;
    throw classified;
  }
}

/** Ignores values that a profile may not have. `n_ctx_train` is not read: servers rarely have memory for the context that the model was trained with. */
function readContextTokens(model: LooseObject): number | undefined {
  const meta = asObject(model.meta);
  const candidates = [
    meta?.n_ctx,
    model.max_model_len,
    model.context_length,
    model.context_window,
    model.max_context_length,
  ];
  return candidates.map(asCount).find((tokens) => contextTokensSchema.safeParse(tokens).success);
}
