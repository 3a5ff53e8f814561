import type { z } from 'zod';
import { EnvFileInvalid, loadEnvFile } from './config/env-file.js';
import { parseConfig } from './config/parse-config.js';
import type { CommonConfig } from './config/service-config.js';
import { freeStartMemory } from './lifecycle/free-start-memory.js';
import { handleProcessEvents } from './lifecycle/process-events.js';
import { createProcessId } from './lifecycle/process-id.js';
import { createLogger } from './log/create-logger.js';
import { openLogDestination } from './log/open-log-destination.js';
import { createSecretScrubber, findSecrets } from './log/secrets.js';
import { startService, type RunningService, type ServiceDefinition } from './start-service.js';
import { exitCode, StartupError } from './startup-error.js';

/**
 * Runs a service: configuration, logging, database, queues, Nest, HTTP and signal handling. Never throws: if the start fails, it
 * prints the reason to standard error and ends the process with one of `exitCode`.
 *
 * ```ts
 * await bootstrapService(serviceConfig(7403, { … }), { name: 'tool-runner', module: (config) => ToolRunnerModule });
 * ```
 */
export async function bootstrapService<S extends z.ZodType<CommonConfig>>(
  schema: S,
  definition: ServiceDefinition<z.output<S>>,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  let scrub = createSecretScrubber(findSecrets(environment));
  try {
    const env = await loadEnvFile(environment);
    scrub = createSecretScrubber(findSecrets(env));
    // Definitions may refer to variables that are not settings, such as the token of an MCP server.
    if (environment === process.env) Object.assign(process.env, env);
    const config = parseConfig(schema, env);
    const identity = { service: definition.name, processId: createProcessId(definition.name), pid: process.pid };
    const destination = await openLogDestination(process.stdout.isTTY);
    const logger = createLogger({ ...identity, level: config.LOG_LEVEL, env, ...(destination ? { destination } : {}) });
    const running: { service?: RunningService } = {};
    handleProcessEvents({
      logger,
      watchParent: config.PHASELINE_STOP_ON_STDIN_END,
      // A signal during the start finds no running service: exit without an orderly shutdown.
      stop: async (reason) => ((await running.service?.stop(reason)) === false ? exitCode.software : exitCode.ok),
    });
    const service = await startService(definition, { config, identity, logger });
    running.service = service;
    // Before the first request: the server listens, but nothing was read from it yet.
    freeStartMemory();
    logger.info(
      { url: service.url, queueBackend: config.PHASELINE_QUEUE_BACKEND, startMs: Math.round(performance.now()) },
      'ready',
    );
  } catch (error) {
    const isKnown = error instanceof StartupError || error instanceof EnvFileInvalid;
    const code = error instanceof StartupError ? error.exitCode : isKnown ? exitCode.config : exitCode.software;
    const text = isKnown ? error.message : `could not start: ${error instanceof Error ? error.stack : String(error)}`;
    process.stderr.write(`${scrub(`${definition.name}: ${text}`)}\n`, () => process.exit(code));
  }
}
