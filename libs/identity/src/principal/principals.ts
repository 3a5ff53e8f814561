import type { JsonObject } from '@phaseline/basics';
import { randomUUID } from 'node:crypto';
import {
  findAdministrationCatalogue,
  getAdministrationVersion,
  principalEventTypes,
  principalStream,
  type PrincipalEvent,
} from '@phaseline/domain';
import { runInTransaction, WrongExpectedVersion, type EventStore, type RecordedEvent } from '@phaseline/event-store';
import type pg from 'pg';
import { hasRight, toActor, type Caller } from '../caller/caller.js';
import { createKey } from '../key/api-key.js';
import { decideLink, decideUnlink, listIssuerForms, OPEN_ID_ACTOR, type Account } from '../open-id/account.js';
import { decideSignIn, openIdCaller, type SignInRequest } from '../open-id/decide-sign-in.js';
import { rights, type Right } from '../rights/rights.js';
import { isRightOfRole, type Role } from '../rights/roles.js';
import { IdentityRefused } from './identity-refused.js';
import { evolvePrincipal, type Principal, type PrincipalKey } from './principal.js';
import { endSessions, readPrincipal, readPrincipals, writePrincipal } from './principal-tables.js';

/** Limits and description of a new key. */
export interface NewKey {
  readonly label: string;
  readonly expiresAt?: string | undefined;
  readonly rights?: readonly Right[] | undefined;
  readonly tenants?: readonly string[] | undefined;
}

const MAX_CONFLICTS = 10;

/**
 * Changes principals, their roles and their keys: each change is an event, and the tables are written in the same transaction. A caller
 * cannot hand out rights that it lacks. Throws IdentityRefused.
 */
export class Principals {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: EventStore,
  ) {}

  list(): Promise<readonly Principal[]> {
    return readPrincipals(this.pool);
  }

  async get(id: string): Promise<Principal> {
    return (await readPrincipal(this.pool, id)) ?? throwNotFound(id);
  }

  /** Returns the refusal for a principal that does not exist, or that the caller may not see. */
  notFound(id: string): IdentityRefused {
    return principalNotFound(id);
  }

  create(caller: Caller, id: string, kind: Principal['kind']): Promise<Principal> {
    return this.change(caller, id, (current) => {
      if (current)
        throw new IdentityRefused(
          'principal_exists',
          `There is already a principal ${id}. Grant it the roles that it needs, or choose another id.`,
        );
      if (id === OPEN_ID_ACTOR) throw new IdentityRefused('request_refused', `The id ${id} is reserved.`);
      return { type: 'PrincipalCreated', data: { actor: nameOf(caller), id, kind } };
    });
  }

  disable(caller: Caller, id: string, reason: string): Promise<Principal> {
    return this.change(caller, id, (current = throwNotFound(id)) =>
      current.disabledAt === undefined
        ? { type: 'PrincipalDisabled', data: { actor: nameOf(caller), reason } }
        : undefined,
    );
  }

  enable(caller: Caller, id: string): Promise<Principal> {
    return this.change(caller, id, (current = throwNotFound(id)) => {
      requireAll(caller, current, {});
      return current.disabledAt === undefined
        ? undefined
        : { type: 'PrincipalEnabled', data: { actor: nameOf(caller) } };
    });
  }

  grant(caller: Caller, id: string, role: Role, tenant: string): Promise<Principal> {
    return this.change(caller, id, (current = throwNotFound(id)) => {
      requireAll(caller, { roles: [{ role, tenant }] }, {});
      if (current.roles.some((grant) => grant.role === role && grant.tenant === tenant)) return undefined;
      return { type: 'RoleGranted', data: { actor: nameOf(caller), role, tenant } };
    });
  }

  revokeRole(caller: Caller, id: string, role: Role, tenant: string): Promise<Principal> {
    return this.change(caller, id, (current = throwNotFound(id)) =>
      current.roles.some((grant) => grant.role === role && grant.tenant === tenant)
        ? { type: 'RoleRevoked', data: { actor: nameOf(caller), role, tenant } }
        : undefined,
    );
  }

  /** Creates a key. The key is only in the result: it cannot be read again. */
  async createKey(
    caller: Caller,
    id: string,
    { label, expiresAt, rights: only, tenants }: NewKey,
  ): Promise<{ key: string; stored: PrincipalKey }> {
    const { key, prefix, digest } = createKey();
    const limits = { rights: only, tenants };
    const defined = {
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      ...(only === undefined ? {} : { rights: [...only] }),
      ...(tenants === undefined ? {} : { tenants: [...tenants] }),
    };
    const changed = await this.change(caller, id, (current = throwNotFound(id)) => {
      requireAll(caller, current, limits);
      requireWithin(current, limits);
      return {
        type: 'KeyCreated',
        data: { actor: nameOf(caller), prefix, digest, label, ...defined },
      };
    });
    return { key, stored: changed.keys.find((stored) => stored.prefix === prefix)! };
  }

  async revokeKey(caller: Caller, prefix: string, reason: string): Promise<Principal> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT principal_id AS id FROM phaseline.principal_keys WHERE prefix = $1',
      [prefix],
    );
    const id = rows[0]?.id;
    if (id === undefined)
      throw new IdentityRefused(
        'key_not_found',
        `There is no key with the prefix ${prefix}. List them with: phaseline keys list`,
      );
    return this.change(caller, id, (current) =>
      current?.keys.some((key) => key.prefix === prefix && key.revokedAt === undefined)
        ? { type: 'KeyRevoked', data: { actor: nameOf(caller), prefix, reason } }
        : undefined,
    );
  }

  /** Links an account of an OpenID provider, so that the principal can sign in with it. */
  async link(caller: Caller, id: string, account: Account): Promise<Principal> {
    const owner = await this.findLinked(account);
    if (owner !== undefined && owner !== id) throw createAccountTaken(account, owner);
    return this.change(caller, id, (current = throwNotFound(id)) => {
      // The account gets the rights of the principal.
      requireAll(caller, current, {});
      return decideLink(current, account, nameOf(caller));
    }).catch((error: unknown) => Promise.reject(isTaken(error) ? createAccountTaken(account) : error));
  }

  /** Removes the link of an account, ends the sessions of the principal, and revokes the roles that its sign-ins gave. */
  unlink(caller: Caller, id: string, account: Account, reason: string): Promise<Principal> {
    return this.change(caller, id, (current = throwNotFound(id)) =>
      decideUnlink(current, account, { actor: nameOf(caller), reason }),
    );
  }

  /**
   * Finds the principal of an account of an OpenID provider, creates it if the request allows that, and records the roles that its claims
   * give. Returns undefined if the account is linked to no principal.
   */
  async signIn(request: SignInRequest): Promise<Principal | undefined> {
    const id = (await this.findLinked(request)) ?? request.newId;
    return id === undefined ? undefined : this.change(openIdCaller, id, (current) => decideSignIn(current, request));
  }

  /** Returns the id of the principal to which an account is linked; undefined if there is none. */
  private async findLinked({ issuer, subject }: Account): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT principal_id AS id FROM phaseline.principal_identities WHERE issuer = ANY ($1) AND subject = $2',
      [listIssuerForms(issuer), subject],
    );
    return rows[0]?.id;
  }

  /** Folds the stream of a principal; undefined if there is none. */
  async fold(id: string): Promise<Principal | undefined> {
    return foldPrincipal(await this.store.read(principalStream(id)));
  }

  private async change(
    caller: Caller,
    id: string,
    decide: (current: Principal | undefined) => PrincipalEvent | readonly PrincipalEvent[] | undefined,
  ): Promise<Principal> {
    for (let conflicts = 0; ; conflicts += 1) {
      const events = await this.store.read(principalStream(id));
      const current = foldPrincipal(events);
      const decided = [decide(current) ?? []].flat();
      if (decided.length === 0) return current!;
      try {
        return await runInTransaction(this.pool, async (client) => {
          const [appended] = await this.store.appendWithin(client, {
            streamId: principalStream(id),
            correlationId: principalStream(id) as string,
            expectedVersion: events.length,
            events: decided.map(({ type, data }) => ({
              eventId: randomUUID(),
              type,
              schemaVersion: getAdministrationVersion(type),
              // Events and actors are plain JSON, although their types do not say so.
              data: data as unknown as JsonObject,
              metadata: { actor: toActor(caller) } as unknown as JsonObject,
            })),
          });
          const changed = decided.reduce<Principal | undefined>(
            (principal, event) => evolvePrincipal(principal, event, appended!.recordedAt),
            current,
          )!;
          await writePrincipal(client, changed);
          if (decided.some(endsSessions)) await endSessions(client, id);
          return changed;
        });
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion) || conflicts >= MAX_CONFLICTS) throw error;
      }
    }
  }
}

const endings: ReadonlySet<PrincipalEvent['type']> = new Set(['PrincipalDisabled', 'KeyRevoked', 'IdentityUnlinked']);

/** A lost key or account may have been used to sign in, so taking it away ends the sessions as well. */
function endsSessions({ type }: PrincipalEvent): boolean {
  return endings.has(type);
}

/** Whether an account was linked to another principal at the same time. */
function isTaken(error: unknown): boolean {
  return (error as { readonly constraint?: unknown } | undefined)?.constraint === 'principal_identities_pkey';
}

function createAccountTaken({ subject }: Account, owner?: string): IdentityRefused {
  const name = owner ?? 'another principal';
  return new IdentityRefused(
    'identity_taken',
    `The account ${JSON.stringify(subject)} is linked to ${name}. Unlink it there first: phaseline principals unlink ${owner ?? 'ID'} SUBJECT`,
  );
}

function foldPrincipal(events: readonly RecordedEvent[]): Principal | undefined {
  let principal: Principal | undefined;
  for (const event of events) {
    const decoded = findAdministrationCatalogue(event.streamId)!.decode(event);
    if (isPrincipalEvent(decoded)) principal = evolvePrincipal(principal, decoded, event.recordedAt);
  }
  return principal;
}

/** The stream also contains the sessions of the principal. */
function isPrincipalEvent(event: { readonly type: string }): event is PrincipalEvent {
  return principalEventTypes.has(event.type);
}

/** Refuses to hand out a right that the caller lacks. To act for others is only handed out, so administrators need not have it. */
function requireAll(
  caller: Caller,
  { roles }: Pick<Principal, 'roles'> | { roles: readonly { role: Role; tenant: string }[] },
  limits: Pick<NewKey, 'rights' | 'tenants'>,
): void {
  for (const { role, tenant } of roles)
    for (const right of limits.rights ?? rights)
      if (right !== 'act:on-behalf-of' && isRightOfRole(right, role, tenant) && !hasRight(caller, right, tenant))
        throw new IdentityRefused(
          'forbidden',
          `You lack the right ${right} for the tenant ${tenant}, so you cannot hand it out.`,
        );
}

/** Refuses limits of a key that name what its principal lacks: they would mislead the readers of the list of keys. */
function requireWithin(principal: Principal, limits: Pick<NewKey, 'rights' | 'tenants'>): void {
  const owner: Caller = { id: principal.id, kind: principal.kind, roles: principal.roles };
  const places = [...(limits.tenants ?? []), ...principal.roles.map(({ tenant }) => tenant)];
  for (const right of limits.rights ?? [])
    if (!places.some((tenant) => hasRight(owner, right, tenant)))
      throw new IdentityRefused(
        'request_refused',
        `${principal.id} lacks the right ${right}. Grant a role with it first.`,
      );
  for (const tenant of limits.tenants ?? [])
    if (!rights.some((right) => hasRight(owner, right, tenant)))
      throw new IdentityRefused(
        'request_refused',
        `${principal.id} has no role for the tenant ${tenant}. Grant one first.`,
      );
}

function nameOf(caller: Caller): string {
  return caller.onBehalfOf?.id ?? caller.id;
}

function throwNotFound(id: string): never {
  throw principalNotFound(id);
}

function principalNotFound(id: string): IdentityRefused {
  return new IdentityRefused(
    'principal_not_found',
    `There is no principal ${JSON.stringify(id.slice(0, 100))}. List them with: phaseline principals list`,
  );
}
