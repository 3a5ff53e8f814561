import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import type { Caller, RoleGrant } from '../caller/caller.js';
import { isRole } from '../principal/principal.js';
import { ALL_TENANTS } from '../rights/roles.js';
import type { Right } from '../rights/rights.js';
import { isKeyWithDigest, parseKeyPrefix } from './api-key.js';

/** A principal of the database with its present roles. */
export interface KnownPrincipal extends Pick<Caller, 'id' | 'kind' | 'roles'> {
  /** Whether it may do nothing. */
  readonly isDisabled: boolean;
}

/** How long a key or a principal is remembered. A revocation takes effect in every process within this time. */
const REMEMBERED_MS = 2_000;
const MAX_REMEMBERED = 10_000;

/** Finds the principals of requests in the database. */
export class KeyDirectory {
  private readonly remembered = new Map<string, { readonly row: KeyRow | undefined; readonly until: number }>();
  private administrators: { readonly exist: boolean; readonly until: number } | undefined;

  constructor(private readonly pool: pg.Pool) {}

  /** Returns the caller with a key; undefined if the key is unknown, revoked or expired, or its principal disabled. */
  async findCaller(key: string): Promise<Caller | undefined> {
    const prefix = parseKeyPrefix(key);
    const row = prefix === undefined ? undefined : await this.findKey(prefix);
    if (!row || !isKeyWithDigest(key, row.digest)) return undefined;
    const { rights, tenants, expires_at: expiresAt } = row;
    const limits = { ...(rights ? { rights: rights as Right[] } : {}), ...(tenants ? { tenants } : {}) };
    return {
      ...{ id: row.id, kind: row.kind, roles: knownRoles(row.roles) },
      ...(rights || tenants ? { limits } : {}),
      authentication: { method: 'key', prefix: prefix!, ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}) },
    };
  }

  /**
   * Whether this process has accepted the key before. It may have been revoked since. Asks no database, so an address that guesses keys can
   * be refused without costing a query.
   */
  hasAccepted(key: string): boolean {
    const row = this.remembered.get(parseKeyPrefix(key) ?? '')?.row;
    return row !== undefined && isKeyWithDigest(key, row.digest);
  }

  /** Returns a principal with its present roles; undefined if there is none, or it is disabled. */
  async findPrincipal(id: string): Promise<Pick<Caller, 'id' | 'kind' | 'roles'> | undefined> {
    const known = await this.findKnown(id);
    if (!known || known.isDisabled) return undefined;
    return { id: known.id, kind: known.kind, roles: known.roles };
  }

  /** Returns a principal, also one that is disabled; undefined if there is none. */
  async findKnown(id: string): Promise<KnownPrincipal | undefined> {
    const [row] = await queryRows<Pick<KeyRow, 'id' | 'kind' | 'roles'> & { is_disabled: boolean }>(this.pool, {
      text: `SELECT p.id, p.kind, p.disabled_at IS NOT NULL AS is_disabled, ${ROLES} AS roles
             FROM phaseline.principals AS p WHERE p.id = $1`,
      values: [id],
    });
    return row && { id: row.id, kind: row.kind, roles: knownRoles(row.roles), isDisabled: row.is_disabled };
  }

  /** Whether a usable key of an administrator of all tenants exists. */
  async hasAdministrator(): Promise<boolean> {
    if (this.administrators && this.administrators.until > performance.now()) return this.administrators.exist;
    const [row] = await queryRows<{ exist: boolean }>(this.pool, {
      text: `SELECT EXISTS (SELECT FROM phaseline.principal_keys AS k JOIN phaseline.principals AS p ON p.id = k.principal_id
               JOIN phaseline.principal_roles AS r ON r.principal_id = p.id
             WHERE ${USABLE} AND k.rights IS NULL AND k.tenants IS NULL AND r.role = 'admin' AND r.tenant = $1) AS exist`,
      values: [ALL_TENANTS],
    });
    this.administrators = { exist: row?.exist === true, until: performance.now() + REMEMBERED_MS };
    return this.administrators.exist;
  }

  private async findKey(prefix: string): Promise<KeyRow | undefined> {
    const known = this.remembered.get(prefix);
    if (known && known.until > performance.now()) return known.row;
    const [row] = await queryRows<KeyRow>(this.pool, {
      name: 'identity_find_key',
      text: `SELECT p.id, p.kind, k.digest, k.rights, k.tenants, k.expires_at, ${ROLES} AS roles
             FROM phaseline.principal_keys AS k JOIN phaseline.principals AS p ON p.id = k.principal_id
             WHERE k.prefix = $1 AND ${USABLE}`,
      values: [prefix],
    });
    // Unknown keys are not remembered: a new key works immediately, and guesses use no memory.
    if (row) {
      if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
      this.remembered.set(prefix, { row, until: performance.now() + REMEMBERED_MS });
    } else this.remembered.delete(prefix);
    return row;
  }
}

const USABLE = 'k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()) AND p.disabled_at IS NULL';
const ROLES = `coalesce((SELECT jsonb_agg(jsonb_build_object('role', r.role, 'tenant', r.tenant))
  FROM phaseline.principal_roles AS r WHERE r.principal_id = p.id), '[]')`;

interface KeyRow {
  readonly id: string;
  readonly kind: 'person' | 'service';
  readonly digest: Buffer;
  readonly rights: readonly string[] | null;
  readonly tenants: readonly string[] | null;
  readonly expires_at: Date | null;
  readonly roles: readonly { readonly role: string; readonly tenant: string }[];
}

/** Roles of a newer release mean nothing to this one. */
function knownRoles(roles: KeyRow['roles']): RoleGrant[] {
  return roles.flatMap(({ role, tenant }) => (isRole(role) ? [{ role, tenant }] : []));
}
