import {
  overrideVerifier,
  verifierOverrideSchema,
  type SubmittedVerifiers,
  type VerifierDefinition,
} from '@phaseline/contracts';
import { z } from 'zod';
import { InvalidDefinitions, UnknownDefinition } from '../definition-errors.js';
import { findNearMatches } from '../definition/near-matches.js';
import { parseYaml } from '../yaml/parse-yaml.js';

export interface VerifierSources {
  /** Verifiers of the agent. */
  readonly agent: readonly VerifierDefinition[] | undefined;
  /** Verifiers of the submission. */
  readonly submitted: SubmittedVerifiers | undefined;
  /** Reads a file of the repository at the submitted commit; `undefined` if there is none. */
  readonly readRepositoryFile: (path: string) => Promise<string | undefined>;
}

/**
 * Returns the definition with which a verifier of a job runs: that of the agent, with what the submission replaces. Throws UnknownDefinition if
 * neither has one of this name, and InvalidDefinitions if the result, or the file in the repository, cannot be used.
 */
export async function resolveVerifier(name: string, sources: VerifierSources): Promise<VerifierDefinition> {
  const { agent = [], submitted = {}, readRepositoryFile } = sources;
  const own = agent.find((verifier) => verifier.name === name);
  const given = Object.hasOwn(submitted, name) ? submitted[name] : undefined;
  if (!given) {
    if (own) return own;
    const names = [...new Set([...agent.map((verifier) => verifier.name), ...Object.keys(submitted)])];
    throw new UnknownDefinition('verifier', name, names, findNearMatches(name, names));
  }
  if (!('fromRepository' in given)) return override(name, own, given, `the submission: verifiers.${name}`);
  const file = given.fromRepository;
  const text = await readRepositoryFile(file);
  if (text === undefined)
    throw new InvalidDefinitions([{ file, message: 'the repository has no such file at the submitted commit' }]);
  const { value } = parseYaml(text, verifierOverrideSchema, { file });
  return override(name, own, value, file);
}

function override(
  name: string,
  own: VerifierDefinition | undefined,
  given: Parameters<typeof overrideVerifier>[2],
  file: string,
): VerifierDefinition {
  try {
    return overrideVerifier(name, own, given);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw new InvalidDefinitions(
      error.issues.map(({ path, message }) => ({
        file,
        message: path.length > 0 ? `${path.join('.')}: ${message}` : message,
      })),
    );
  }
}
