import 'reflect-metadata';
import { Module, type DynamicModule, type InjectionToken, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { assertReadable, listEventVersions, redactEvent } from '@phaseline/domain';
import {
  ControlListener,
  DatabaseClock,
  DEAD_AFTER_MS,
  DeadLetters,
  ProcessRegistry,
  readSealing,
} from '@phaseline/cluster';
import { EventStore, openColdStorage, RELEASE } from '@phaseline/event-store';
import { KeyDirectory, Principals, SecretStore } from '@phaseline/identity';
import { DeliveryCounts, Queues } from '@phaseline/queue';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CommonConfig } from './config/service-config.js';
import { ClockWatch } from './health/clock-watch.js';
import { formatDuration } from './health/format-duration.js';
import { EventLoopWatch } from './health/event-loop-watch.js';
import { addHealthRoutes, type ServiceIdentity } from './health/health-routes.js';
import { HealthWatch } from './health/health-watch.js';
import { Progress } from './health/progress.js';
import { Readiness } from './health/readiness.js';
import { closeServer, listen } from './http/http-server.js';
import { observeRequests } from './http/observe-requests.js';
import type { BrowserSessions } from './http/browser-sessions.js';
import { isLoopback } from './http/loopback.js';
import { refuseUrl } from './http/refuse-url.js';
import { guardRequests } from './http/request-guard.js';
import { Shutdown, type ShutdownStep } from './lifecycle/shutdown.js';
import { NestLogger } from './log/nest-logger.js';
import { Metrics } from './metrics/metrics.js';
import { storeDeadLetter } from './resources/store-dead-letter.js';
import { MeteredEventStore } from './resources/metered-event-store.js';
import { openDatabase } from './resources/open-database.js';
import { readMasterKeys } from './resources/master-keys.js';
import { openQueues, type QueueSettings } from './resources/open-queues.js';

import { createServiceModule } from './service-module.js';
import { serviceTokens } from './service-tokens.js';
import { KeysMissing } from './startup-error.js';
import { openTelemetry } from './telemetry/open-telemetry.js';
import { traceRequests } from './telemetry/trace-requests.js';

/** Describes a service: all values that differ between services. */
export interface ServiceDefinition<Config extends CommonConfig> {
  readonly name: string;
  /** The app's Nest module. All its providers can inject the values listed in the README. */
  readonly module: (config: Config) => Type<unknown> | DynamicModule;
  /** Whether the service serves more than probes. It then does not start where other machines reach it and no administrator has a key. */
  readonly servesApi?: boolean;
  readonly queues?: (config: Config) => QueueSettings;
  /** Called before the server listens: adds filters, pipes, OpenAPI, static files. */
  readonly configure?: (app: NestFastifyApplication, config: Config) => void | Promise<void>;
  /** Returns the sessions of browsers; without it, callers need keys. */
  readonly browserSessions?: (app: NestFastifyApplication) => BrowserSessions;
  /** Maximum size of a request body in bytes. Default 1,000,000. */
  readonly bodyLimitBytes?: number;
}

export interface RunningService {
  /** Base URL. */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Shuts the service down within its time limit. Resolves with whether all steps completed. */
  stop(reason: string): Promise<boolean>;
}

/** Age up to which a heartbeat counts as recent: slightly more than the interval of heartbeats in an idle process. */
const RECENT_HEARTBEAT_MS = 3_500;

/** Queues whose rates cannot be computed from the log: a message need not lead to an event. */
const UNLOGGED_QUEUES = ['jobs', 'timers', 'repositories'] as const;

/** Time that open requests get to end during a shutdown before their connections are closed. */
const OPEN_REQUESTS_TIMEOUT_MS = 2_000;

/** Time to receive a whole request. Long enough for a document of 200 MB over a slow connection. */
const REQUEST_TIMEOUT_MS = 300_000;

/**
 * Opens the resources of a service in order and starts listening. If a step fails, the resources opened before are closed.
 * `bootstrapService` wraps this and owns the process.
 * @throws StartupError
 */
export async function startService<Config extends CommonConfig>(
  definition: ServiceDefinition<Config>,
  parts: { config: Config; identity: ServiceIdentity; logger: Logger },
): Promise<RunningService> {
  const { config, identity, logger } = parts;
  const readiness = new Readiness();
  const metrics = new Metrics(identity.service);
  const shutdown = new Shutdown(logger, config.PHASELINE_SHUTDOWN_TIMEOUT_MS);
  // Resources are closed in reverse order of opening.
  const steps: ShutdownStep[] = [];
  const stop = (reason: string): Promise<boolean> => {
    readiness.markStopping(`shutting down: ${reason}`);
    return shutdown.run(reason, steps);
  };
  try {
    const telemetry = await openTelemetry(config, identity, metrics, logger);
    // Last, because the other steps still write spans.
    steps.unshift({ name: 'telemetry', run: (remainingMs) => telemetry.close(remainingMs) });
    const pool = await openDatabase(config, identity.processId, logger);
    steps.unshift({ name: 'database', run: () => pool.end() });
    const registry: { processes?: ProcessRegistry; queues?: Queues } = {};
    readiness.register('database', async () => {
      // A recent heartbeat already proves that the database responds.
      if ((registry.processes?.sinceHeartbeatMs ?? Infinity) > RECENT_HEARTBEAT_MS) await pool.query('SELECT 1');
    });
    const progress = new Progress({ limitMs: config.PHASELINE_STALL_LIMIT_MS });
    readiness.register('progress', async () => progress.describeStall());
    const masterKeys = await readMasterKeys(config);
    const store = new MeteredEventStore(pool, metrics, () => progress.touch(), {
      encryption: { masterKeys, redact: redactEvent },
      checkEvent: assertReadable,
      cold: openColdStorage(config),
    });
    steps.unshift({ name: 'event store', run: () => store.close() });
    const health = watchHealth(config, readiness, metrics, logger);
    steps.unshift({ name: 'health', run: async () => health.close() });
    const counts = new DeliveryCounts(UNLOGGED_QUEUES);
    const processes: ProcessRegistry = new ProcessRegistry(pool, {
      version: RELEASE,
      schemaVersions: listEventVersions(),
      problems: () => health.reasons,
      queues: () => registry.queues?.served ?? [],
      load: () => ({
        ...(registry.queues?.load ?? { running: 0, concurrency: 0 }),
        handled: counts.list(processes.clock.now().getTime()),
      }),
      onError: (error) => logger.warn({ error }, 'the heartbeat failed'),
    });
    await processes.heartbeat(identity.processId, identity.service);
    registry.processes = processes;
    readiness.register('heartbeat', async () => {
      const silentMs = processes.sinceHeartbeatMs ?? 0;
      if (silentMs <= DEAD_AFTER_MS) return undefined;
      return `no heartbeat was written for ${formatDuration(silentMs)}; other processes take over its work`;
    });
    readiness.register('clock', async () => processes.clock.describeProblem());
    // Deregister after the queues are closed: until then, other processes must see our leases as held.
    steps.unshift({ name: 'heartbeat', run: () => processes.close() });
    const control = new ControlListener(config.DATABASE_URL, {
      applicationName: identity.processId,
      onError: (error) => logger.warn({ error }, 'the connection for control events was lost'),
    });
    await control.start();
    steps.unshift({ name: 'control events', run: () => control.close() });
    const deadLetters = new DeadLetters(pool);
    const queues = await openQueues({
      config,
      processId: identity.processId,
      sealing: await readSealing(pool, listEventVersions()),
      settings: definition.queues?.(config) ?? {},
      onDeadLetter: (deadLetter) => storeDeadLetter(deadLetter, deadLetters, logger),
      logger,
      metrics,
      readiness,
      onDelivery: (delivery) => counts.record(delivery, processes.clock.now().getTime()),
    });
    registry.queues = queues;
    steps.unshift({ name: 'queues', run: (remainingMs) => closeQueues(queues, remainingMs, logger) });
    const clockWatch = new ClockWatch(processes.clock, queues, logger);
    steps.unshift({ name: 'clock', run: async () => clockWatch.close() });
    const directory = new KeyDirectory(pool);
    const values = new Map<InjectionToken, unknown>([
      [serviceTokens.config, config],
      [serviceTokens.identity, identity],
      [serviceTokens.logger, logger],
      [serviceTokens.pool, pool],
      [serviceTokens.shutdownSignal, shutdown.signal],
      [EventStore, store],
      [SecretStore, new SecretStore(pool, store, masterKeys)],
      [Principals, new Principals(pool, store)],
      [KeyDirectory, directory],
      [ProcessRegistry, processes],
      [DatabaseClock, processes.clock],
      [ControlListener, control],
      [DeadLetters, deadLetters],
      [Queues, queues],
      [Metrics, metrics],
      [Readiness, readiness],
      [Progress, progress],
    ]);
    if (definition.servesApi === true) await requireKeys(config, directory);
    const app = await createApp(definition, config, logger, values);
    // The app's shutdown hooks run after the queues have closed, while the event store is still open.
    steps.splice(2, 0, { name: 'app', run: () => app.close() });
    // Nest's type of the adapter does not include the type of Fastify's instance.
    const http = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    guardRequests(http, config, definition.browserSessions?.(app), directory);
    observeRequests(http, metrics, logger);
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) traceRequests(http);
    addHealthRoutes(http, { identity, readiness, metrics, getAbilities: () => processes.abilities });
    await definition.configure?.(app, config);
    const url = await listen(app, config.PHASELINE_HOST, config.PORT);
    steps.unshift({
      name: 'http',
      run: (remainingMs) => closeServer(app, Math.min(OPEN_REQUESTS_TIMEOUT_MS, remainingMs / 4)),
    });
    return { url, app, stop };
  } catch (error) {
    await shutdown.run('the start failed', steps, 'debug');
    throw error;
  }
}

async function requireKeys(
  { PHASELINE_HOST, PHASELINE_API_KEYS }: CommonConfig,
  directory: Pick<KeyDirectory, 'hasAdministrator'>,
): Promise<void> {
  if (isLoopback(PHASELINE_HOST) || PHASELINE_API_KEYS.length > 0 || (await directory.hasAdministrator())) return;
  throw new KeysMissing(PHASELINE_HOST);
}

/** Starts watching the event loop and running the readiness checks periodically. */
function watchHealth(
  config: CommonConfig,
  readiness: Readiness,
  metrics: Metrics,
  logger: Logger,
): { readonly reasons: readonly string[]; close(): void } {
  const loop = new EventLoopWatch({
    limitMs: config.PHASELINE_EVENT_LOOP_BLOCK_LIMIT_MS,
    onBlocked: (blockedMs) => {
      metrics.eventLoopBlocks.inc();
      logger.warn({ blockedMs: Math.round(blockedMs) }, 'the event loop was blocked');
    },
  });
  readiness.register('event-loop', async () => loop.describeBlock());
  const watch = new HealthWatch(readiness, logger, config.PHASELINE_HEALTH_INTERVAL_MS);
  return {
    get reasons() {
      return watch.reasons;
    },
    close: () => {
      watch.close();
      loop.close();
    },
  };
}

async function createApp<Config extends CommonConfig>(
  definition: ServiceDefinition<Config>,
  config: Config,
  logger: Logger,
  values: ReadonlyMap<InjectionToken, unknown>,
): Promise<NestFastifyApplication> {
  class RootModule {}
  Module({ imports: [createServiceModule(values), definition.module(config)] })(RootModule);
  const adapter = new FastifyAdapter({
    bodyLimit: definition.bodyLimitBytes ?? 1_000_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: refuseUrl,
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
  });
  return NestFactory.create<NestFastifyApplication>(RootModule, adapter, {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
}

/** Replaces Fastify's own compilers of schemas, which no route uses: loading them takes a tenth of the start. */
function refuseSchema(): never {
  throw new Error('a route has a schema for Fastify; describe its request for Nest instead');
}

/** Closes the queues. Leaves a fifth of the remaining time for the steps that follow. */
async function closeQueues(queues: Queues, remainingMs: number, logger: Logger): Promise<void> {
  const { abandoned } = await queues.close(remainingMs * 0.8);
  if (abandoned.length > 0)
    logger.warn({ abandoned }, 'unfinished messages were abandoned; they will be delivered again');
}
