import { flag, milliseconds, urlOf } from '@phaseline/service';
import { z } from 'zod';

/**
 * Environment variables that the `phaseline` command itself reads, in addition to the service settings that it passes on to a stack.
 * Used for `.env.example` and the docs. The commands read the variables directly, because loading a schema would slow their start.
 */
export const cliSettings = z.object({
  PHASELINE_HOME: z
    .string()
    .default('.phaseline')
    .describe('folder in which `up` and `demo` keep their database, keys, logs and mirrors'),
  PHASELINE_URL: urlOf('URL of the orchestrator that commands connect to', ['http:', 'https:']).default(
    'http://127.0.0.1:7070',
  ),
  PHASELINE_API_KEY: z.string().optional().describe('API key that commands send'),
  PHASELINE_ON_BEHALF_OF: z
    .string()
    .optional()
    .describe('id of the principal for whom the owner of the API key acts, who needs the role "delegate"'),
  PHASELINE_ENV_FILE: z
    .string()
    .optional()
    .describe(
      'settings file to read instead of `.env` in the working directory or the project root; "none" reads none. Services use it too',
    ),
  PHASELINE_APP_PASSWORD: z
    .string()
    .optional()
    .describe('for `migrate`: password of the login phaseline_app, which is created if it does not exist'),
  PHASELINE_DEBUG: flag('whether errors are printed with stack traces', false),
  PHASELINE_REHEARSAL_LATENCY_MS: milliseconds('delay before each response of the rehearsal model', 0, 0),
});
