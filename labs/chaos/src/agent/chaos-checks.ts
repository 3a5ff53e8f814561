import { listConversation } from '@phaseline/context';
import { ToolError } from '@phaseline/contracts';
import { faultPoint, type FaultPointName } from '@phaseline/fault-points';
import { GuardSetFolders } from '@phaseline/hooks/runner';
import { createChecksPack, createGuardsPack, type KeptFolders } from '@phaseline/remote-packs';
import type { JobRepository } from '@phaseline/repository';
import type { Sandbox } from '@phaseline/sandbox';
import type { ToolPack } from '@phaseline/tools';
import { VerifierFolders } from '@phaseline/verification';
import { claimFolder, getJobBlobs, type BlobReader } from '@phaseline/workspace';
import { join } from 'node:path';

const INTERVAL_MS = 50;

export interface ChecksHost {
  readonly repository: JobRepository;
  readonly blobs: BlobReader;
  readonly sandbox: Sandbox;
  /** The working folders of phases, which hooks share with commands. */
  readonly workFolders: KeptFolders;
  /** Folder below which verifiers and guard sets get folders of their own. */
  readonly root: string;
}

/** Creates the shipped packs of verifiers and hooks, whose runs pass fault points. */
export function createChaosChecks({ repository, blobs, sandbox, workFolders, root }: ChecksHost): readonly ToolPack[] {
  const claim = (name: string) => async () => (await claimFolder(join(root, name))).folder;
  const verifiers = createChecksPack({
    sandbox,
    folders: new VerifierFolders(claim('verifiers')),
    readVerifier: async (jobId, name, began = 1) => {
      const [job, phase] = await Promise.all([repository.loadJob(jobId), repository.loadPhase(jobId, began)]);
      const definition = job?.definition.agent.verifiers?.find((one) => one.name === name);
      if (!definition || !phase) throw new ToolError('verifier_unusable', `The job ${jobId} has no verifier ${name}.`);
      return { definition, begin: phase.start.workspace.tree, blobs: getJobBlobs(blobs, jobId) };
    },
  });
  const guards = createGuardsPack({
    sandbox,
    workFolders,
    setFolders: new GuardSetFolders(claim('guard-sets')),
    readPhase: (jobId, phase) => repository.loadPhase(jobId, phase),
    listMessages: listConversation,
  });
  return [passDuring(verifiers, 'tool.during-verifier'), passDuring(guards, 'tool.during-guard')];
}

/** A pack whose remote tools pass a fault point while they run. */
function passDuring(pack: ToolPack, name: FaultPointName): ToolPack {
  return {
    ...pack,
    tools: pack.tools.map((tool) => {
      if (tool.lane !== 'remote') return tool;
      const run: typeof tool.run = async (context, input) => {
        const timer = setInterval(() => faultPoint(name, context.jobId), INTERVAL_MS);
        try {
          return await tool.run(context, input);
        } finally {
          clearInterval(timer);
        }
      };
      return { ...tool, run };
    }),
  };
}
