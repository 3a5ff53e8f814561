import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  createdKeySchema,
  keyListSchema,
  keySchema,
  type CreatedKeyResponse,
  type CreateKeyRequest,
  type KeyRecord,
  type ListKeysQuery,
  type RevokeKeyQuery,
} from './key.js';

/** Keys of principals. */
export class KeyApi {
  constructor(private readonly transport: Transport) {}

  /** Lists keys, by principal and time of creation. */
  async list(query: Partial<ListKeysQuery> = {}, options: Cancellable = {}): Promise<readonly KeyRecord[]> {
    return (await this.transport.json(createGet(routes.keys(), query, options), keyListSchema)).items;
  }

  /**
   * Creates a key. `key` of the response cannot be read again. Not retried, because each request creates another key. Throws
   * RequestRefused (`principal_not_found`, `request_refused`, `forbidden`).
   */
  create(request: CreateKeyRequest, options: Cancellable = {}): Promise<CreatedKeyResponse> {
    const write = { ...createWrite('POST', routes.keys(), request, options), isRepeatable: false };
    return this.transport.json(write, createdKeySchema);
  }

  /** Revokes a key and ends the sessions of its principal. Every process refuses the key within 2 seconds. Throws RequestRefused (`key_not_found`). */
  revoke(prefix: string, query: Partial<RevokeKeyQuery> = {}, { signal }: Cancellable = {}): Promise<KeyRecord> {
    const request = { method: 'DELETE', path: routes.key(prefix), query, signal, isRepeatable: true } as const;
    return this.transport.json(request, keySchema);
  }
}
