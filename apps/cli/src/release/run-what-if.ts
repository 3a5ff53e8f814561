import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WhatIfRequest } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { WhatIfFailed } from '../command/command-errors.js';
import { getHomeDirectory } from '../connection/home-directory.js';
import type { MessageSchema } from '@phaseline/basics/processes';
import { runEngineProgram } from '../process/run-engine-program.js';

/**
 * Runs the program that decides recorded jobs again, and yields the messages that it reports. Throws NotBuilt, WhatIfFailed, or the reason of the
 * signal.
 */
export function runWhatIf<Message>(
  databaseUrl: string,
  request: WhatIfRequest,
  messages: MessageSchema<Message>,
  { env, currentDirectory, signal }: CommandContext,
): AsyncGenerator<Message, void, undefined> {
  return runEngineProgram({
    program: 'what-if-program',
    request,
    messages,
    passedOn: OF_SANDBOX,
    variables: { DATABASE_URL: databaseUrl, ...findMasterKeys(env, getHomeDirectory(env, currentDirectory)) },
    signal,
    fail: (reason) => new WhatIfFailed(`The program ended early. ${reason}`),
  });
}

/** Variables with the settings of the sandbox, as tool-runners read them. */
const OF_SANDBOX = [
  'PHASELINE_SANDBOX',
  'PHASELINE_SANDBOX_TOOLCHAIN',
  'PHASELINE_SANDBOX_IMAGE',
  'PHASELINE_SANDBOX_PROGRAM',
];

/** Where the master keys are, as the services of a local stack are told; empty if there are none. */
function findMasterKeys(env: NodeJS.ProcessEnv, home: string): Record<string, string> {
  const { PHASELINE_MASTER_KEY: given, PHASELINE_MASTER_KEY_FILE: file } = env;
  if (given) return { PHASELINE_MASTER_KEY: given };
  if (file) return { PHASELINE_MASTER_KEY_FILE: file };
  const own = join(home, 'master-key');
  return existsSync(own) ? { PHASELINE_MASTER_KEY_FILE: own } : {};
}
