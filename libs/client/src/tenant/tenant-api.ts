import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import { tenantListSchema, tenantSchema, type SetTenantRequest, type Tenant } from './tenant.js';

/** Load and limits of tenants. */
export class TenantApi {
  constructor(private readonly transport: Transport) {}

  /** Lists the tenants that have active or waiting phases, or their own limit. */
  async list(options: Cancellable = {}): Promise<readonly Tenant[]> {
    return (await this.transport.json(createGet(routes.tenants(), {}, options), tenantListSchema)).items;
  }

  /** Reads the load and the limit of a tenant. Throws RequestRefused (`forbidden`). */
  get(tenant: string, options: Cancellable = {}): Promise<Tenant> {
    return this.transport.json(createGet(routes.tenant(tenant), {}, options), tenantSchema);
  }

  /** Sets the maximum number of active phases of a tenant. Throws InvalidRequest. */
  set(tenant: string, request: SetTenantRequest, options: Cancellable = {}): Promise<Tenant> {
    return this.transport.json(createWrite('PUT', routes.tenant(tenant), request, options), tenantSchema);
  }
}
