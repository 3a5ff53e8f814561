import { listDeclaredSecrets } from '@phaseline/contracts';
import type { DefinitionProblem, LoadedAgent } from '@phaseline/definitions';
import type { CommandContext } from '../command/command-context.js';
import { connect } from '../connection/connect.js';

/** Maximum time to wait for the server in milliseconds. Definitions are often checked where there is none. */
const MAX_WAIT_MS = 3_000;

/**
 * Returns a warning for each secret that an agent declares and a tenant does not have. Returns none if no server can be asked: a
 * job that lacks a secret is refused when it is submitted.
 */
export async function findMissingSecrets(
  context: CommandContext,
  agents: Iterable<LoadedAgent>,
  tenant: string,
): Promise<readonly DefinitionProblem[]> {
  const declared = [...agents].flatMap(({ definition, file }) =>
    listDeclaredSecrets(definition.settings ?? {}).map((name) => ({ agent: definition.name, file, name })),
  );
  if (declared.length === 0) return [];
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  const stored = await connect(context)
    .then((client) => client.secrets.list({ tenant }, { signal }))
    .catch(() => undefined);
  context.signal.throwIfAborted();
  if (!stored) return [];
  const isStored = (agent: string, name: string): boolean =>
    stored.some((secret) => secret.name === name && (secret.agent === undefined || secret.agent === agent));
  return declared
    .filter(({ agent, name }) => !isStored(agent, name))
    .map(({ agent, file, name }) => ({
      file,
      message: `settings: the tenant ${tenant} has no secret ${name} that the agent ${agent} may use; store it with phaseline secrets set ${name} --tenant ${tenant}`,
    }));
}
