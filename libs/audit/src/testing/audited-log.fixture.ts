import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { createPool, EventStore, verifyChain } from '@phaseline/event-store';
import { createTestDatabase } from '@phaseline/testing';
import pg from 'pg';
import { inject } from 'vitest';
import { exportLog } from '../export/export-log.js';
import { verifyExport, type ExportProblem } from '../export/verify-export.js';
import { verifyFiles } from '../files/verify-files.js';
import { openAuditKey, type AuditKey } from '../key/audit-key.js';
import { createAnchors } from '../anchor/create-anchors.js';
import type { Receipt } from '../anchor/receipt.js';
import { verifyAnchors, type VerifyAnchorsOptions } from '../anchor/verify-anchors.js';

/** A test database with a log, an audit key and a temporary folder, and the actions of an auditor and of a superuser. */
export class AuditedLog {
  private constructor(
    readonly service: pg.Pool,
    readonly superuser: pg.Pool,
    readonly key: AuditKey,
    readonly folder: string,
    /** Database URL with the rights of a service. */
    readonly serviceUrl: string,
    private readonly drop: () => Promise<void>,
  ) {}

  static async create(): Promise<AuditedLog> {
    const database = await createTestDatabase();
    const superuserUrl = new URL(inject('testServer').superuserUrl);
    superuserUrl.pathname = new URL(database.serviceUrl).pathname;
    const folder = await mkdtemp(join(tmpdir(), 'phaseline-audit-'));
    const key = await openAuditKey(join(folder, 'key.pem'));
    const pools = [createPool(database.serviceUrl, { max: 4 }), createPool(superuserUrl.href, { max: 2 })] as const;
    return new AuditedLog(...pools, key, folder, database.serviceUrl, () => database.drop());
  }

  async close(): Promise<void> {
    await this.service.end();
    await this.superuser.end();
    await this.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async append(streamId: string, count: number, correlationId = `of-${streamId}`): Promise<void> {
    const store = new EventStore(this.service);
    for (let event = 0; event < count; event += 1) {
      const data = { event, text: 'größer als nichts' };
      const events = [
        { eventId: randomUUID(), type: 'TodoCompleted', schemaVersion: 1, data, metadata: { actor: 'spec' } },
      ];
      await store.append({ streamId, correlationId, expectedVersion: 'any', events });
    }
  }

  /** Appends events of these types through the append function, as a service can. */
  async appendTypes(streamId: string, types: readonly string[], flags: { reopens?: boolean } = {}): Promise<void> {
    const store = new EventStore(this.service);
    const events = types.map((type) => ({ eventId: randomUUID(), type, schemaVersion: 1, data: {}, metadata: {} }));
    const reopens = flags.reopens ? { reopensStream: true } : {};
    await store.append({ streamId, correlationId: `of-${streamId}`, expectedVersion: 'any', events, ...reopens });
  }

  /** Anchors all events in one anchor. Waits until transactions that are open in any database of the server end. */
  async anchorAll(key = this.key): Promise<void> {
    for (const deadline = Date.now() + 20_000; ;) {
      const { rows } = await this.service.query<{ ready: boolean }>(
        'SELECT max(transaction_id) < pg_snapshot_xmin(pg_current_snapshot()) AS ready FROM phaseline.events',
      );
      if (rows[0]!.ready) break;
      if (Date.now() > deadline) throw new Error('a transaction stayed open');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await createAnchors(this.service, key, { now: () => new Date() });
  }

  /** Runs statements as a superuser who disables the triggers first and restores them afterwards. */
  async tamper(...statements: readonly string[]): Promise<void> {
    const tables = ['events', 'anchors', 'anchored_heads', 'audit_keys', 'blobs', 'blob_manifests', 'blob_pieces'];
    const toggle = (action: string): string =>
      tables.map((table) => `ALTER TABLE phaseline.${table} ${action} TRIGGER ALL`).join(';');
    await this.superuser.query([toggle('DISABLE'), ...statements, toggle('ENABLE')].join(';'));
    await this.superuser.query(
      tables.map((table) => `ALTER TABLE phaseline.${table} ENABLE ALWAYS TRIGGER ${table}_are_append_only`).join(';'),
    );
  }

  /** Verifies the database. Returns problems as `<stream> <version> <kind>` or `anchor <number> <kind>`. */
  async verifyOnline(options: VerifyAnchorsOptions = {}): Promise<string[]> {
    const chain = await verifyChain(this.service);
    const anchors = await verifyAnchors(this.service, options);
    const files = await verifyFiles(this.service);
    return [...anchors.problems, ...chain.problems, ...files.problems].map(formatProblem).sort();
  }

  /** Exports the log and verifies the export with the audit checker. Returns problems in the same form. */
  async verifyExported({
    receipts = [],
    ...options
  }: { jobs?: readonly string[]; withFiles?: boolean; receipts?: readonly Receipt[] } = {}): Promise<string[]> {
    const { problems } = await verifyExport(await this.export(options), { receipts });
    return problems.map(formatProblem).sort();
  }

  async export(options: { jobs?: readonly string[]; withFiles?: boolean } = {}): Promise<string> {
    const folder = join(this.folder, `export-${randomUUID()}`);
    await exportLog(this.service, { folder, key: this.key, now: () => new Date(), ...options });
    return folder;
  }
}

export function formatProblem(problem: Partial<ExportProblem>): string {
  const { streamId, version, anchor, kind } = problem;
  if (streamId !== undefined) return `${streamId} ${version} ${kind}`;
  return anchor === undefined ? `export ${kind}` : `anchor ${anchor} ${kind}`;
}
