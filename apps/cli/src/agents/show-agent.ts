import { relative } from 'node:path';
import { InvalidDefinitions } from '@phaseline/definitions';
import { readFile } from 'node:fs/promises';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { tryAllDefinitions } from './load-all-definitions.js';

export interface ShowOptions {
  readonly resolved?: boolean;
}

/**
 * `phaseline agents show NAME`: prints the definition as written, or with `--resolved` as jobs receive it: merged with the
 * definitions it extends and with all defaults. Throws UnknownDefinition, InvalidDefinitions.
 */
export async function showAgent(context: CommandContext, name: string, options: ShowOptions): Promise<ExitCode> {
  const { out, env, currentDirectory } = context;
  const { agents, problems } = await tryAllDefinitions(env, { agent: name });
  const agent = agents.find(name);
  if (!agent) throw new InvalidDefinitions(problems);
  const { definition, hash, extends: chain, instructions } = agent;
  const sources = agent.sources.map((file) => relative(currentDirectory, file));
  if (out.isStructured) {
    out.writeDocument({ name, hash, extends: chain, sources, definition, instructions });
    return exitCode.ok;
  }
  if (options.resolved) {
    out.writeLines(...JSON.stringify(definition, null, 2).split('\n'));
    return exitCode.ok;
  }
  out.writeLines(
    out.paint.dim(`# ${sources.join(', ')}`),
    out.paint.dim(`# sha-256 ${hash}${chain.length > 0 ? `; extends ${chain.join(', which extends ')}` : ''}`),
    ...(await readFile(agent.file, 'utf8')).trimEnd().split('\n'),
  );
  return exitCode.ok;
}
