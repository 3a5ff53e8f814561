import { randomUUID } from 'node:crypto';
import { PhaselineClient, type SubmitPlanRequest } from '@phaseline/client';
import { isEnded, type JobId } from '@phaseline/contracts';
import { createPool, EventStore } from '@phaseline/event-store';
import type { Engine } from '@phaseline/harness';
import { Principals, type Caller, type Right } from '@phaseline/identity';
import { expect } from 'vitest';
import {
  post,
  startOrchestrator,
  type OrchestratorForSpecs,
} from '../../apps/orchestrator/src/testing/orchestrator-for-specs.js';

const ROOT_KEY = 'key-of-the-spec-0123456789';
const root: Caller = { id: 'root', kind: 'person', roles: [{ role: 'admin', tenant: '*' }] };

/** Name, role and tenant of a person who has a key. */
export type Grant = readonly [name: string, role: 'operator' | 'approver' | 'viewer', tenant: string];

/** An orchestrator with people who have keys. Plans are run by engines of the spec. */
export class PlanningServer {
  private readonly keys = new Map<string, string>();

  private constructor(
    readonly orchestrator: OrchestratorForSpecs,
    readonly pool: ReturnType<typeof createPool>,
    readonly store: EventStore,
  ) {}

  static async start(grants: readonly Grant[]): Promise<PlanningServer> {
    const orchestrator = await startOrchestrator({
      PHASELINE_API_KEYS: `root=${ROOT_KEY}`,
      PHASELINE_SHIPPED_DEFINITIONS: '1',
      PHASELINE_MODEL: 'm',
      PHASELINE_MODEL_URL: 'http://127.0.0.1',
    });
    const pool = createPool(orchestrator.databaseUrls.service, { max: 8 });
    const server = new PlanningServer(orchestrator, pool, new EventStore(pool));
    const principals = new Principals(pool, server.store);
    for (const [id, role, tenant] of grants) {
      if (!server.keys.has(id)) await principals.create(root, id, 'person');
      await principals.grant(root, id, role, tenant);
      server.keys.set(id, (await principals.createKey(root, id, { label: 'spec' })).key);
    }
    return server;
  }

  async stop(): Promise<void> {
    await this.store.close();
    await this.pool.end();
    await this.orchestrator.stop();
  }

  /** The client of a person. */
  as(name: string): PhaselineClient {
    return new PhaselineClient({ baseUrl: this.orchestrator.url, apiKey: this.keys.get(name)!, retries: 0 });
  }

  headers(name: string): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.keys.get(name)}` };
  }

  async submit(name: string, request: Partial<SubmitPlanRequest> = {}): Promise<JobId> {
    return (await this.as(name).submitPlan({ goal: 'Build a boat by the end of January', ...request })).planId;
  }

  /** Replies to a plan. Returns status and body. */
  reply(name: string, planId: JobId, body: object, key: string = randomUUID()) {
    return this.post(name, `/v1/plans/${planId}/reply`, body, key);
  }

  post(name: string, path: string, body: object, key: string = randomUUID()) {
    return this.orchestrator.json(path, post(body, { ...this.headers(name), 'idempotency-key': key }));
  }

  /** Sends a request with a key that is not the first one of its owner. */
  postWithKey(apiKey: string, path: string, body: object) {
    return this.orchestrator.json(path, post(body, { authorization: `Bearer ${apiKey}` }));
  }

  /** Creates a key of a person that has only some of their rights. */
  async createLimitedKey(name: string, rights: readonly Right[]): Promise<string> {
    const principals = new Principals(this.pool, this.store);
    return (await principals.createKey(root, name, { label: 'limited', rights })).key;
  }

  /** Runs a plan until it waits for a person or ends. The orchestrator runs beside, and may have dispatched the next phase. */
  async drive(engine: Engine, planId: JobId, reader = 'ada'): Promise<void> {
    await expect
      .poll(
        async () => {
          await engine.reconcile();
          await engine.run(planId);
          const { status, waitsFor } = await this.as(reader).plan(planId);
          return waitsFor !== null || isEnded(status);
        },
        { timeout: 20_000, interval: 50 },
      )
      .toBe(true);
  }
}
