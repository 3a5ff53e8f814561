import { flag, milliseconds, urlOf } from '@phaseline/service';
import { z } from 'zod';

/**
 * What the `phaseline` command itself reads from its environment, beside the settings of services that it passes on to a stack.
 * For `.env.example` and the docs; the commands read each where they need it, since most of them start faster than a schema loads.
 */
export const cliSettings = z.object({
  PHASELINE_HOME: z
    .string()
    .default('.phaseline')
    .describe('the folder in which `up` and `demo` keep their database, keys, logs and mirrors'),
  PHASELINE_URL: urlOf('the URL of the orchestrator that commands talk to', ['http:', 'https:']).default(
    'http://127.0.0.1:7070',
  ),
  PHASELINE_API_KEY: z.string().optional().describe('the API key that commands send'),
  PHASELINE_ACTOR: z.string().optional().describe('who the log says asked for something; otherwise the login name'),
  PHASELINE_ENV_FILE: z
    .string()
    .optional()
    .describe(
      'the file of settings to read in place of `.env` in the working directory or at the root of the project; "none" for none. Services read it too',
    ),
  PHASELINE_APP_PASSWORD: z
    .string()
    .optional()
    .describe('for `migrate`: the password of the login phaseline_app, which is made where it does not exist'),
  PHASELINE_DEBUG: flag('whether errors are shown with their stacks', false),
  PHASELINE_REHEARSAL_LATENCY_MS: milliseconds('how long each answer of the rehearsal model takes', 0, 0),
});
