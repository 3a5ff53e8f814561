import { createWrite, createGet, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  secretListSchema,
  secretRemovalSchema,
  secretSchema,
  type ListSecretsQuery,
  type RemoveSecretQuery,
  type Secret,
  type SecretRemoval,
  type StoreSecretRequest,
} from './secret.js';

/** Secrets that tools use. No method returns a value. */
export class SecretApi {
  constructor(private readonly transport: Transport) {}

  /** Lists the secrets of a tenant, without their values. */
  async list(query: Partial<ListSecretsQuery> = {}, options: Cancellable = {}): Promise<readonly Secret[]> {
    return (await this.transport.json(createGet(routes.secrets(), query, options), secretListSchema)).items;
  }

  /** Stores a secret, or replaces its value. Throws InvalidRequest. */
  store(name: string, request: StoreSecretRequest, options: Cancellable = {}): Promise<Secret> {
    return this.transport.json(createWrite('PUT', routes.secret(name), request, options), secretSchema);
  }

  /** Removes a secret. Throws RequestRefused (`secret_not_found`). */
  remove(name: string, query: Partial<RemoveSecretQuery> = {}, { signal }: Cancellable = {}): Promise<SecretRemoval> {
    const request = { method: 'DELETE', path: routes.secret(name), query, signal, isRepeatable: false } as const;
    return this.transport.json(request, secretRemovalSchema);
  }
}
