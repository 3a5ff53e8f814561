import type { PhaselineClient } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { chooseServer, findLocalStack } from './server-url.js';

/** Creates a client for the selected server. Loads the client library lazily, because `--help` does not need it. */
export async function connect(context: CommandContext): Promise<PhaselineClient> {
  const choice = await chooseServer({ option: context.url, env: context.env }, () =>
    findLocalStack(context.env, context.currentDirectory),
  );
  const { PhaselineClient: Client } = await import('@phaseline/client');
  return new Client({
    baseUrl: choice.url,
    apiKey: context.apiKey ?? choice.apiKey,
    onBehalfOf: context.onBehalfOf,
    retries: 2,
  });
}
