import { overrideVerifier, type SubmittedVerifiers } from '@phaseline/contracts';
import type { AgentDefinition } from '@phaseline/domain';
import { VerifierRefused } from './submit-errors.js';

/** What the check of verifiers needs of a request. */
interface VerifierRequest {
  readonly verifiers?: SubmittedVerifiers | undefined;
  readonly repository?: object | undefined;
}

/**
 * Checks the verifiers of a submission together with those of the agent, as far as that is possible before the repository is imported. Throws
 * VerifierRefused.
 */
export function checkVerifiers(agent: Pick<AgentDefinition, 'verifiers'>, request: VerifierRequest): void {
  for (const [name, given] of Object.entries(request.verifiers ?? {})) {
    if ('fromRepository' in given) {
      if (request.repository) continue;
      throw new VerifierRefused(
        `the verifier ${name} comes from a repository, and the request names none; add one, or define the verifier in the request`,
      );
    }
    const own = agent.verifiers?.find((verifier) => verifier.name === name);
    try {
      overrideVerifier(name, own, given);
    } catch (cause) {
      throw new VerifierRefused(`the verifier ${name} cannot be used: ${describe(cause)}`, { cause });
    }
  }
}

function describe(error: unknown): string {
  const { issues = [] } = error as {
    readonly issues?: readonly { readonly path: PropertyKey[]; readonly message: string }[];
  };
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}
