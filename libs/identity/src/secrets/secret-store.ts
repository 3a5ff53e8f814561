import { isWellFormedText, type JsonObject } from '@phaseline/basics';
import { getActorName, type Actor } from '@phaseline/contracts';
import { getAdministrationVersion, secretsStream, type SecretEvent } from '@phaseline/domain';
import { queryRows, runInTransaction, type EventStore, type MasterKeys } from '@phaseline/event-store';
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SecretInvalid, SecretMissing, SecretsUnavailable } from './secret-errors.js';

/** Minimum length of a value in characters. A shorter one would be masked in ordinary text, and could be guessed. */
const MIN_SECRET_CHARACTERS = 8;
/** Maximum length of a value in characters: a certificate with its key fits. */
const MAX_SECRET_CHARACTERS = 65_536;

/** Where a secret belongs: a tenant, and optionally the only agent that may use it. */
export interface SecretScope {
  readonly tenant: string;
  readonly agent?: string | undefined;
}

export interface SecretEntry extends SecretScope {
  readonly name: string;
  /** Hosts to which repositories may send it; missing if no repository may use it. */
  readonly repositoryHosts?: readonly string[];
  readonly storedBy: string;
  /** ISO time. */
  readonly storedAt: string;
}

/** Which secret a repository would use, and to which hosts it may send it. */
export interface RepositorySecret {
  /** The only agent that may use it; missing if every agent of the tenant may. */
  readonly agent?: string;
  /** Hosts as `getRepositoryHost` returns them; empty if no repository may use the secret. */
  readonly repositoryHosts: readonly string[];
}

interface SecretRow {
  readonly tenant: string;
  readonly name: string;
  readonly agent: string;
  readonly encrypted: Buffer;
  readonly master_key_id: string;
  readonly repository_hosts: readonly string[];
}

const ROW = 'tenant, name, agent, encrypted, master_key_id, repository_hosts';

/**
 * Secrets of tenants. Values are encrypted with the master key and bound to their tenant, agent, name and hosts; the log records who stored
 * and removed them. All methods throw DatabaseUnreachable.
 */
export class SecretStore {
  constructor(
    private readonly pool: pg.Pool,
    private readonly store: Pick<EventStore, 'appendWithin'>,
    private readonly masterKeys: MasterKeys,
  ) {}

  /**
   * Stores a secret, or replaces its value and its hosts. `hosts` are those to which repositories may send it, as `repositoryHostsSchema`
   * returns them. Throws SecretInvalid and SecretsUnavailable.
   */
  async put(
    scope: SecretScope,
    name: string,
    value: string,
    actor: Actor,
    hosts: readonly string[] = [],
  ): Promise<SecretEntry> {
    assertSecretValue(value);
    const encrypted = this.masterKeys.encrypt(Buffer.from(value, 'utf8'), ...placeOf(scope, name, hosts));
    if (!encrypted) throw new SecretsUnavailable('secrets are stored encrypted and this process has no master key');
    const storedBy = getActorName(actor);
    const members = hosts.length === 0 ? {} : { repositoryHosts: [...hosts] };
    return runInTransaction(this.pool, async (client) => {
      const storedAt = await this.record(client, 'SecretStored', scope, name, actor, members);
      await client.query(
        `INSERT INTO phaseline.secrets (tenant, name, agent, encrypted, master_key_id, stored_by, stored_at, repository_hosts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (tenant, name, agent) DO UPDATE SET encrypted = excluded.encrypted,
           master_key_id = excluded.master_key_id, stored_by = excluded.stored_by, stored_at = excluded.stored_at,
           repository_hosts = excluded.repository_hosts`,
        [scope.tenant, name, scope.agent ?? '', encrypted.content, encrypted.masterKeyId, storedBy, storedAt, hosts],
      );
      return { ...scope, name, ...members, storedBy, storedAt: new Date(storedAt).toISOString() };
    });
  }

  /** Removes a secret. Throws SecretMissing. */
  async remove(scope: SecretScope, name: string, actor: Actor): Promise<void> {
    await runInTransaction(this.pool, async (client) => {
      await this.record(client, 'SecretRemoved', scope, name, actor);
      const { rowCount } = await client.query(
        'DELETE FROM phaseline.secrets WHERE tenant = $1 AND name = $2 AND agent = $3',
        [scope.tenant, name, scope.agent ?? ''],
      );
      // Rolls the event back as well.
      if (rowCount === 0) throw new SecretMissing(scope.tenant, name, scope.agent);
    });
  }

  /** Lists the secrets of a tenant by name, without their values. */
  async list(tenant: string): Promise<readonly SecretEntry[]> {
    const rows = await queryRows<{
      name: string;
      agent: string;
      repository_hosts: string[];
      stored_by: string;
      stored_at: Date;
    }>(this.pool, {
      text: `SELECT name, agent, repository_hosts, stored_by, stored_at FROM phaseline.secrets WHERE tenant = $1 ORDER BY name, agent`,
      values: [tenant],
    });
    return rows.map(({ name, agent, repository_hosts: hosts, stored_by: storedBy, stored_at: storedAt }) => ({
      tenant,
      name,
      ...(agent === '' ? {} : { agent }),
      ...(hosts.length === 0 ? {} : { repositoryHosts: hosts }),
      storedBy,
      storedAt: storedAt.toISOString(),
    }));
  }

  /**
   * Reads the values that an agent of a tenant may use. A secret of the agent is preferred to one of the whole tenant. Throws
   * SecretMissing and SecretsUnavailable.
   */
  async read({ tenant, agent }: Required<SecretScope>, names: readonly string[]): Promise<Record<string, string>> {
    const byName = await this.readUsable({ tenant, agent }, names);
    return Object.fromEntries(
      names.map((name) => {
        const row = byName.get(name);
        if (!row) throw new SecretMissing(tenant, name, agent);
        return [name, this.decrypt(row)];
      }),
    );
  }

  /**
   * Reads the value that `read` returns, with the hosts to which repositories may send it; undefined if the agent may use no secret of this
   * name. Throws SecretsUnavailable.
   */
  async readForRepository(
    scope: Required<SecretScope>,
    name: string,
  ): Promise<(RepositorySecret & { readonly value: string }) | undefined> {
    const row = (await this.readUsable(scope, [name])).get(name);
    return row && { ...toRepositorySecret(row), value: this.decrypt(row) };
  }

  /** Returns what `readForRepository` does, without the value. */
  async findForRepository(scope: Required<SecretScope>, name: string): Promise<RepositorySecret | undefined> {
    const row = (await this.readUsable(scope, [name])).get(name);
    return row && toRepositorySecret(row);
  }

  /** Returns which of the names no secret has that an agent of a tenant may use. */
  async findMissing({ tenant, agent }: Required<SecretScope>, names: readonly string[]): Promise<readonly string[]> {
    if (names.length === 0) return [];
    const rows = await queryRows<{ name: string }>(this.pool, {
      text: `SELECT DISTINCT name FROM phaseline.secrets WHERE tenant = $1 AND agent IN ('', $2) AND name = ANY ($3)`,
      values: [tenant, agent ?? '', names],
    });
    const stored = new Set(rows.map(({ name }) => name));
    return names.filter((name) => !stored.has(name));
  }

  /** Encrypts all values again with the newest master key. Returns their number, and names those that cannot be decrypted. */
  async rewrap(): Promise<{ readonly rewrapped: number; readonly unreadable: readonly string[] }> {
    const [newest] = this.masterKeys.ids;
    const unreadable: string[] = [];
    let rewrapped = 0;
    for (const row of await this.readAll()) {
      if (row.master_key_id === newest) continue;
      const value = this.tryDecrypt(row);
      const encrypted = value && this.masterKeys.encrypt(value, ...placeOfRow(row));
      if (!encrypted) {
        unreadable.push(describeRow(row));
        continue;
      }
      // Unchanged if the secret was replaced or removed in the meantime.
      const { rowCount } = await this.pool.query(
        `UPDATE phaseline.secrets SET encrypted = $5, master_key_id = $6
         WHERE tenant = $1 AND name = $2 AND agent = $3 AND encrypted = $4`,
        [row.tenant, row.name, row.agent, row.encrypted, encrypted.content, encrypted.masterKeyId],
      );
      rewrapped += rowCount ?? 0;
    }
    return { rewrapped, unreadable };
  }

  /** Describes every stored secret that cannot be decrypted with the present master keys. */
  async findUnreadable(): Promise<readonly string[]> {
    return (await this.readAll()).filter((row) => !this.tryDecrypt(row)).map(describeRow);
  }

  /** Reads the rows that an agent of a tenant may use, by name. A row of the agent is preferred to one of the whole tenant. */
  private async readUsable(
    { tenant, agent }: Required<SecretScope>,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, SecretRow>> {
    if (names.length === 0) return new Map();
    const rows = await queryRows<SecretRow>(this.pool, {
      text: `SELECT ${ROW} FROM phaseline.secrets
        WHERE tenant = $1 AND agent IN ('', $2) AND name = ANY ($3) ORDER BY agent`,
      values: [tenant, agent ?? '', names],
    });
    // The row of the agent is later than the row of every agent.
    return new Map(rows.map((row) => [row.name, row]));
  }

  private readAll(): Promise<SecretRow[]> {
    return queryRows<SecretRow>(this.pool, {
      text: `SELECT ${ROW} FROM phaseline.secrets ORDER BY tenant, name, agent`,
      values: [],
    });
  }

  private decrypt(row: SecretRow): string {
    const value = this.tryDecrypt(row);
    if (value) return value.toString('utf8');
    throw new SecretsUnavailable(
      this.masterKeys.ids.includes(row.master_key_id)
        ? `secret ${describeRow(row)} cannot be decrypted because its row was changed; store it again, or restore it and`
        : `secret ${describeRow(row)} is encrypted with the master key ${row.master_key_id}, which this process does not have`,
    );
  }

  private tryDecrypt(row: SecretRow): Buffer | undefined {
    return this.masterKeys.decrypt({ content: row.encrypted, masterKeyId: row.master_key_id }, ...placeOfRow(row));
  }

  /** Appends the event of a change. Returns the time at which it was recorded. */
  private async record(
    client: pg.ClientBase,
    type: SecretEvent['type'],
    { tenant, agent }: SecretScope,
    name: string,
    actor: Actor,
    members: JsonObject = {},
  ): Promise<string> {
    const data = { actor: getActorName(actor), name, ...(agent === undefined ? {} : { agent }), ...members };
    // An interface lacks the index signature of JsonObject.
    const metadata = { actor } as unknown as JsonObject;
    const streamId = secretsStream(tenant);
    const [result] = await this.store.appendWithin(client, {
      streamId,
      // The stream belongs to no job.
      correlationId: streamId as string,
      expectedVersion: 'any',
      events: [{ eventId: randomUUID(), type, schemaVersion: getAdministrationVersion(type), data, metadata }],
    });
    return result!.recordedAt;
  }
}

function assertSecretValue(value: string): void {
  if (value.length < MIN_SECRET_CHARACTERS)
    throw new SecretInvalid(
      `a secret needs at least ${MIN_SECRET_CHARACTERS} characters: a shorter one cannot be masked in outputs`,
    );
  if (value.length > MAX_SECRET_CHARACTERS)
    throw new SecretInvalid(`a secret can have at most ${MAX_SECRET_CHARACTERS} characters`);
  if (!isWellFormedText(value)) throw new SecretInvalid('a secret must be valid text without NUL characters');
}

/** What a value is bound to. Without hosts, this is the place of values that were stored before secrets had hosts. */
function placeOf(
  { tenant, agent = '' }: SecretScope,
  name: string,
  hosts: readonly string[],
): readonly [string, ...string[]] {
  return ['phaseline secret', tenant, agent, name, ...hosts];
}

function placeOfRow({ tenant, agent, name, repository_hosts: hosts }: SecretRow): readonly [string, ...string[]] {
  return placeOf({ tenant, agent }, name, hosts);
}

function toRepositorySecret({ agent, repository_hosts: repositoryHosts }: SecretRow): RepositorySecret {
  return { ...(agent === '' ? {} : { agent }), repositoryHosts };
}

function describeRow({ tenant, agent, name }: SecretRow): string {
  return `${name} of tenant ${tenant}${agent === '' ? '' : ` for agent ${agent}`}`;
}
