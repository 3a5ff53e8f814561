import { createGet, createWrite, type Cancellable } from '../http/requests.js';
import { routes } from '../http/routes.js';
import type { Transport } from '../http/transport.js';
import {
  principalListSchema,
  principalSchema,
  type ChangeRoleRequest,
  type CreatePrincipalRequest,
  type DisablePrincipalRequest,
  type LinkAccountRequest,
  type PrincipalRecord,
  type UnlinkAccountRequest,
} from './principal.js';

/** People and services, and their roles. A change that is already made is not an error and records nothing. */
export class PrincipalApi {
  constructor(private readonly transport: Transport) {}

  /** Lists the principals with a role in a tenant that the caller may see, by id. */
  async list(options: Cancellable = {}): Promise<readonly PrincipalRecord[]> {
    return (await this.transport.json(createGet(routes.principals(), {}, options), principalListSchema)).items;
  }

  /** Throws RequestRefused (`principal_not_found`). */
  get(id: string, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.transport.json(createGet(routes.principal(id), {}, options), principalSchema);
  }

  /** Creates a principal without roles. Throws RequestRefused (`principal_exists`). */
  create(request: CreatePrincipalRequest, options: Cancellable = {}): Promise<PrincipalRecord> {
    const write = { ...createWrite('POST', routes.principals(), request, options), isRepeatable: false };
    return this.transport.json(write, principalSchema);
  }

  /** Refuses the keys of a principal and ends its sessions, until it is enabled. */
  disable(id: string, request: DisablePrincipalRequest = {}, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'disable', request, options);
  }

  /** Accepts the keys of a principal again. Throws RequestRefused (`forbidden`) if it has a right that the caller lacks. */
  enable(id: string, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'enable', {}, options);
  }

  /** Grants a role in a tenant. Throws RequestRefused (`forbidden`) if the caller lacks a right of the role. */
  grant(id: string, request: ChangeRoleRequest, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'grant', request, options);
  }

  /** Revokes a role in a tenant. */
  revoke(id: string, request: ChangeRoleRequest, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'revoke', request, options);
  }

  /**
   * Links an account of an OpenID provider, so that the principal can sign in with it. Throws RequestRefused (`identity_taken` if it is linked
   * to another principal, `forbidden` if the principal has a right that the caller lacks).
   */
  link(id: string, request: LinkAccountRequest, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'link', request, options);
  }

  /**
   * Removes the link of an account. The sessions of the principal end, and the roles that its sign-ins gave are revoked. Throws RequestRefused
   * (`request_refused`) if the account is not linked to the principal.
   */
  unlink(id: string, request: UnlinkAccountRequest, options: Cancellable = {}): Promise<PrincipalRecord> {
    return this.change(id, 'unlink', request, options);
  }

  private change(id: string, action: string, request: object, options: Cancellable): Promise<PrincipalRecord> {
    return this.transport.json(
      createWrite('POST', routes.principalChange(id, action), request, options),
      principalSchema,
    );
  }
}
