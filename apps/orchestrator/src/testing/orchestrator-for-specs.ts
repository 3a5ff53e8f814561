import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createPool, EventStore, type BlobWrite, type StreamAppend } from '@phaseline/event-store';
import { JobRepository } from '@phaseline/repository';
import type { PhaseEvent } from '@phaseline/domain';
import { createLogger, parseConfig, startService } from '@phaseline/service';
import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { createTestDatabase, getTypescriptArguments, type TestDatabase } from '@phaseline/testing';
import { randomUUID } from 'node:crypto';
import type { JobId } from '@phaseline/contracts';
import { JobWakes } from '../events/job-wakes.js';
import { orchestratorConfigSchema } from '../orchestrator-config.js';
import { WHAT_IF_PROGRAM } from '../what-if/what-if-program.js';
import { OrchestratorModule } from '../orchestrator.module.js';
import { orchestratorService } from '../orchestrator-service.js';

/** A build of it may be missing or old. */
const WHAT_IF_SOURCE = new URL('../../../what-if-program/src/main.ts', import.meta.url);

/** A strategic phase with two todos, then another one; either can end the job. */
const definitions: Readonly<Record<string, string>> = {
  'workflows/short.yaml': `
name: short
version: 1
start: plan
states:
  plan:
    kind: strategic
    title: Plan
    todos: [Look, Think]
    finish: planned
    completion: completed
    outcomes:
      planned: { to: review }
      completed: { end: completed }
  review:
    kind: strategic
    title: Review
    todos: [Check]
    finish: done
    outcomes:
      done: { end: completed }
`,
  'agents/writer/agent.yaml': `
name: writer
displayName: Writer
description: Writes what it is asked for.
workflow: short
tools: { workspace: [read_file] }
deliverables: [output/text.md]
budgets: { maxCostUsd: 5 }
`,
  'agents/writer/instructions.md': '# Write well\n',
  'agents/reader/agent.yaml': `
name: reader
displayName: Reader
workflow: short
tools: {}
requires: { documents: 1, instructions: true, parameters: [region] }
`,
  'agents/reader/instructions.md': '# Read well\n',
  'models/default.yaml': 'name: default\nmodel: ${PHASELINE_MODEL:-none}\n',
  'models/other.yaml': 'name: other\nmodel: none\n',
};

export interface OrchestratorForSpecs {
  readonly url: string;
  readonly databaseUrls: { readonly owner: string; readonly service: string };
  readonly store: EventStore;
  readonly repository: JobRepository;
  /** Finds a part of the service by its class. */
  readonly get: INestApplicationContext['get'];
  /** Returns the number of open event streams. */
  readonly openStreams: () => number;
  /** Routes that the HTTP server registered, such as `GET /v1/jobs/:jobId`. */
  readonly routes: readonly string[];
  /** Returns everything logged so far, as text. */
  readonly log: () => string;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  json(path: string, init?: RequestInit): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>;
  /** Waits until a phase is dispatched, then appends to it as a worker would. */
  inPhase(jobId: JobId, phase: number, events: readonly PhaseEvent[], blobs?: readonly BlobWrite[]): Promise<void>;
  /** Stops the service. Returns whether it shut down cleanly and in time. */
  stop(): Promise<boolean>;
}

export interface OrchestratorOptions {
  /** Definition files that are added to the default ones or replace them. */
  readonly files?: Readonly<Record<string, string>>;
  /** Returns another URL for the database, for example that of a proxy. */
  readonly reach?: (databaseUrl: string) => Promise<string>;
  /** Another orchestrator whose database to share, or a database with jobs. */
  readonly beside?: Pick<OrchestratorForSpecs, 'databaseUrls'>;
  /** Arguments of Node.js that start the program which decides recorded jobs again. Default: its source. */
  readonly whatIfProgram?: readonly string[];
}

/** Starts a complete orchestrator in this process, on its own database and a free port. */
export async function startOrchestrator(
  env: NodeJS.ProcessEnv = {},
  options: OrchestratorOptions = {},
): Promise<OrchestratorForSpecs> {
  const {
    files = {},
    reach = async (databaseUrl: string) => databaseUrl,
    beside,
    whatIfProgram = getTypescriptArguments(WHAT_IF_SOURCE),
  } = options;
  const database = beside ? borrowDatabase(beside) : await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'orchestrator-'));
  let log = '';
  const removeAll = async (): Promise<void> => {
    await database.drop();
    await rm(folder, { recursive: true });
  };
  try {
    for (const [path, text] of Object.entries({ ...definitions, ...files })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const config = parseConfig(orchestratorConfigSchema, {
      DATABASE_URL: await reach(database.serviceUrl),
      PORT: '0',
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_SHIPPED_DEFINITIONS: '0',
      PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows'),
      PHASELINE_MODELS_DIR: join(folder, 'models'),
      // No workers run here from whose capacity the window could be derived.
      PHASELINE_MAX_RUNNING_PHASES: '10000',
      ...env,
    });
    const identity = { service: 'orchestrator', processId: `orchestrator-${randomUUID()}`, pid: process.pid };
    const logger = createLogger({
      ...identity,
      level: 'debug',
      env: {},
      destination: { write: (line) => void (log += line) },
    });
    const routes: string[] = [];
    const service = await startService(recordRoutes(orchestratorService, routes, whatIfProgram), {
      config,
      identity,
      logger,
    });
    const store = service.app.get(EventStore);
    const repository = service.app.get(JobRepository);
    const fetchFrom = (path: string, init?: RequestInit): Promise<Response> => fetch(`${service.url}${path}`, init);
    return {
      url: service.url,
      databaseUrls: { owner: database.ownerUrl, service: database.serviceUrl },
      store,
      repository,
      routes,
      get: service.app.get.bind(service.app),
      openStreams: () => service.app.get(JobWakes).size,
      log: () => log,
      fetch: fetchFrom,
      json: async (path, init) => {
        const response = await fetchFrom(path, init);
        return {
          status: response.status,
          headers: response.headers,
          body: (await response.json()) as Record<string, unknown>,
        };
      },
      inPhase: async (jobId, phase, events, blobs) => {
        for (;;) {
          const state = await repository.loadPhase(jobId, phase);
          if (state)
            return void (await repository.appendToPhase(state, events, {
              origin: { actor: { id: 'spec', kind: 'process' } },
              ...(blobs ? { blobs } : {}),
            }));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      },
      stop: async () => {
        const clean = await service.stop('the spec is over');
        await removeAll();
        return clean;
      },
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}

/** Records the routes that are added from the moment at which the guard of requests is added, and starts the program with these arguments. */
function recordRoutes(
  definition: typeof orchestratorService,
  routes: string[],
  whatIfProgram: readonly string[],
): typeof orchestratorService {
  const { browserSessions = () => expect.unreachable('the orchestrator has sessions') } = definition;
  return {
    ...definition,
    module: () => ({
      module: OrchestratorModule,
      providers: [{ provide: WHAT_IF_PROGRAM, useValue: whatIfProgram }],
    }),
    browserSessions: (app) => {
      // Nest's type of the adapter does not include the type of Fastify's instance.
      const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
      fastify.addHook('onRoute', ({ method, url }) => {
        routes.push(...[method].flat().map((one) => `${one} ${url}`));
      });
      return browserSessions(app);
    },
  };
}

function borrowDatabase({ databaseUrls }: Pick<OrchestratorForSpecs, 'databaseUrls'>): TestDatabase {
  return { ownerUrl: databaseUrls.owner, serviceUrl: databaseUrls.service, drop: async () => undefined };
}

export function post(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Events that a worker appends for a model's answer, the end of a phase, and so on. */
export const phaseEvents = {
  answered: (step: number): PhaseEvent => ({
    type: 'ModelResponded',
    data: {
      step,
      model: 'default',
      content: 'hello',
      calls: [],
      end: 'stop',
      usage: { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5, estimated: false },
      costMicroUsd: 9,
      durationMs: 1,
    },
  }),
  todoDone: (todoId: number): PhaseEvent => ({ type: 'TodoCompleted', data: { todoId, callId: `todo-${todoId}` } }),
  wrote: (path: string, hash: string, size: number): PhaseEvent => ({
    type: 'FileWritten',
    data: { path, hash, size, writtenAt: '2026-01-01T00:00:00.000Z' },
  }),
  ended: (outcome: string): PhaseEvent => ({ type: 'PhaseCompleted', data: { outcome } }),
  completed: (): PhaseEvent => ({
    type: 'PhaseCompleted',
    data: {
      outcome: 'completed',
      completion: { summary: 'done', deliverables: ['output/text.md'], confidence: 0.75, notes: '' },
    },
  }),
};

/** Collects all items of a generator. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Appends an event that the store of the services would refuse, as anyone with a database login can. */
export async function appendUnchecked({ databaseUrls }: OrchestratorForSpecs, append: StreamAppend): Promise<void> {
  const pool = createPool(databaseUrls.service);
  try {
    await new EventStore(pool).append(append);
  } finally {
    await pool.end();
  }
}
