import type { VerifierDefinition } from '@phaseline/contracts';
import { InvalidDefinitions } from '@phaseline/definitions';
import { tryAllDefinitions } from '../agents/load-all-definitions.js';

/** Returns the verifiers of an agent. Throws UnknownDefinition, InvalidDefinitions. */
export async function findVerifiers(env: NodeJS.ProcessEnv, agent: string): Promise<readonly VerifierDefinition[]> {
  const { agents, problems } = await tryAllDefinitions(env, { agent });
  const found = agents.find(agent);
  if (!found) throw new InvalidDefinitions(problems);
  return found.definition.verifiers ?? [];
}
