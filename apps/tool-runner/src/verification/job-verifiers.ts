import { InvalidDefinitions, resolveVerifier, UnknownDefinition } from '@phaseline/definitions';
import { ToolError } from '@phaseline/contracts';
import { getStateAgent } from '@phaseline/domain';
import type { VerifiersHost } from '@phaseline/remote-packs';
import type { JobRepository } from '@phaseline/repository';
import { getJobBlobs, readTextByHash, type BlobReader } from '@phaseline/workspace';

/** Maximum size in bytes of a verifier in a repository. */
const MAX_VERIFIER_BYTES = 256 * 1024;

/** Reads verifiers as their job recorded them: those of its agent, with what its submission replaces. */
export function createVerifierReader(repository: JobRepository, blobs: BlobReader): VerifiersHost['readVerifier'] {
  return async (jobId, name, began = 1) => {
    const [job, first] = await Promise.all([repository.loadJob(jobId), repository.loadPhase(jobId, 1)]);
    if (!job || !first) throw new ToolError('verifier_unusable', `The job ${jobId} has no phase.`);
    const since = began === 1 ? first : await repository.loadPhase(jobId, began);
    if (!since) throw new ToolError('verifier_unusable', `The job ${jobId} has no phase ${began}.`);
    const begin = since.start.workspace.tree;
    // A verifier of the repository is that of the submission, whatever the agent made of it before the feature began.
    const submittedFiles = first.start.workspace.tree;
    const jobBlobs = getJobBlobs(blobs, jobId);
    const readRepositoryFile = async (path: string): Promise<string | undefined> => {
      const file = `repository/${path}`;
      const entry = Object.hasOwn(submittedFiles, file) ? submittedFiles[file] : undefined;
      return entry && readTextByHash(jobBlobs, entry.hash, MAX_VERIFIER_BYTES);
    };
    const { definition: current, submitted, active } = job;
    // The verifiers of the agent whose phase runs.
    const agent = getStateAgent(current, current.workflow.states[active?.state ?? ''] ?? {});
    const sources = { agent: agent.verifiers, submitted: submitted.verifiers, readRepositoryFile };
    const definition = await resolveVerifier(name, sources).catch((error: unknown) => {
      if (!(error instanceof InvalidDefinitions || error instanceof UnknownDefinition)) throw error;
      throw new ToolError('verifier_unusable', error.message, { cause: error });
    });
    return { definition, begin, blobs: jobBlobs };
  };
}
