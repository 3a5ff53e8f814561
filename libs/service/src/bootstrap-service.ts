import type { z } from 'zod';
import { EnvFileInvalid, withEnvFile } from './config/env-file.js';
import { parseConfig } from './config/parse-config.js';
import type { CommonConfig } from './config/service-config.js';
import { handleProcessEvents } from './lifecycle/process-events.js';
import { newProcessId } from './lifecycle/process-id.js';
import { createLogger } from './log/create-logger.js';
import { secretScrubber, secretsOf } from './log/secrets.js';
import { startService } from './start-service.js';
import type { RunningService, ServiceDefinition } from './start-service.js';
import { exitCode, StartupError } from './startup-error.js';

/**
 * The whole `main` of a service: config, log, database, queues, Nest, HTTP, signals. Never throws: a start that fails is told
 * in plain words on standard error and ends the process with a code of `exitCode`.
 *
 * ```ts
 * await bootstrapService(serviceConfig(7403, { … }), { name: 'tool-runner', module: (config) => ToolRunnerModule });
 * ```
 */
export async function bootstrapService<S extends z.ZodType<CommonConfig>, Job = never>(
  schema: S,
  definition: ServiceDefinition<z.output<S>, Job>,
  given: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  let scrub = secretScrubber(secretsOf(given));
  try {
    const env = await withEnvFile(given);
    scrub = secretScrubber(secretsOf(env));
    // Definitions may name variables that are no settings, such as the token of an MCP server.
    if (given === process.env) Object.assign(process.env, env);
    const config = parseConfig(schema, env);
    const identity = { service: definition.name, processId: newProcessId(definition.name), pid: process.pid };
    const logger = createLogger({ ...identity, level: config.LOG_LEVEL, env });
    const running: { service?: RunningService } = {};
    handleProcessEvents({
      logger,
      watchParent: config.PHASELINE_PARENT_WATCH,
      // While it starts there is nothing to end in order.
      stop: async (reason) => ((await running.service?.stop(reason)) === false ? exitCode.software : exitCode.ok),
    });
    const service = await startService(definition, { config, identity, logger });
    running.service = service;
    logger.info(
      { url: service.url, queueBackend: config.QUEUE_BACKEND, startMs: Math.round(performance.now()) },
      'ready',
    );
  } catch (error) {
    const known = error instanceof StartupError || error instanceof EnvFileInvalid;
    const code = error instanceof StartupError ? error.exitCode : known ? exitCode.config : exitCode.software;
    const text = known ? error.message : `could not start: ${error instanceof Error ? error.stack : String(error)}`;
    process.stderr.write(`${scrub(`${definition.name}: ${text}`)}\n`, () => process.exit(code));
  }
}
