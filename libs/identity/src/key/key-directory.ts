import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import type { Caller, RoleGrant } from '../caller/caller.js';
import { isRole } from '../principal/principal.js';
import { ALL_TENANTS } from '../rights/roles.js';
import type { Right } from '../rights/rights.js';
import { isKeyWithDigest, parseKeyPrefix } from './api-key.js';

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
    const { rights, tenants } = row;
    const limits = { ...(rights ? { rights: rights as Right[] } : {}), ...(tenants ? { tenants } : {}) };
    return { id: row.id, kind: row.kind, roles: knownRoles(row.roles), ...(rights || tenants ? { limits } : {}) };
  }

  /** Returns a principal for whom another one acts; undefined if there is none, or it is disabled. */
  async findPrincipal(id: string): Promise<Pick<Caller, 'id' | 'kind' | 'roles'> | undefined> {
    const [row] = await queryRows<Omit<KeyRow, 'digest' | 'rights' | 'tenants'>>(this.pool, {
      text: `SELECT p.id, p.kind, ${ROLES} AS roles FROM phaseline.principals AS p WHERE p.id = $1 AND p.disabled_at IS NULL`,
      values: [id],
    });
    return row && { id: row.id, kind: row.kind, roles: knownRoles(row.roles) };
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
      text: `SELECT p.id, p.kind, k.digest, k.rights, k.tenants, ${ROLES} AS roles
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
  readonly roles: readonly { readonly role: string; readonly tenant: string }[];
}

/** Roles of a newer release mean nothing to this one. */
function knownRoles(roles: KeyRow['roles']): RoleGrant[] {
  return roles.flatMap(({ role, tenant }) => (isRole(role) ? [{ role, tenant }] : []));
}
