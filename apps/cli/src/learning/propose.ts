import { join, resolve } from 'node:path';
import type { PatternProposalRecord, PatternRecord } from '@phaseline/client';
import { stringify } from 'yaml';
import { UnsafePath } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import type { ProposalChoice } from './proposal-choices.js';
import { renderProposal } from './render-proposal.js';
import { writeNewFile } from './write-new-file.js';

const kinds: Readonly<Record<ProposalChoice, string>> = {
  rule: 'new_rule',
  stricter: 'stricter_guard',
  instructions: 'change_instructions',
};

interface ProposeOptions {
  readonly kind?: ProposalChoice;
  readonly out?: string;
}

/** `phaseline learning propose PATTERN`: shows what a person may do about a pattern, and with `--out` writes its files. Exit code 1 if there is nothing. */
export async function proposeChanges(
  context: CommandContext,
  id: string,
  { kind: choice, out: folder }: ProposeOptions,
): Promise<ExitCode> {
  const { out, signal, currentDirectory } = context;
  const { pattern, proposals } = await (await connect(context)).learning.proposals(id, { signal });
  const chosen = choice === undefined ? proposals : [findProposal(pattern, proposals, kinds[choice])];
  const files: string[] = [];
  if (folder !== undefined)
    for (const [path, content] of chosen.flatMap(listFiles)) {
      await writeNewFile(resolve(currentDirectory, folder, path), content, 'Choose another folder with --out.');
      files.push(join(folder, path));
    }
  if (out.isStructured) out.writeDocument({ pattern, proposals: chosen, ...(folder === undefined ? {} : { files }) });
  else out.writeLines(...chosen.flatMap((one) => renderProposal(one, out.paint)), ...describeFiles(files, folder));
  return chosen.some(({ problem }) => problem === undefined) ? exitCode.ok : exitCode.failed;
}

function findProposal(
  { proposals: possible }: PatternRecord,
  proposals: readonly PatternProposalRecord[],
  kind: string,
): PatternProposalRecord {
  return (
    proposals.find((one) => one.kind === kind) ?? {
      kind,
      problem: `this pattern does not allow it; it allows ${possible.join(' and ')}`,
    }
  );
}

/** The files of a proposal with their paths below the chosen folder. An agent has a folder of its own. Throws UnsafePath. */
function listFiles({ guard, agent, files = {} }: PatternProposalRecord): readonly (readonly [string, string])[] {
  const guards = guard ? [[`${requireName(String(guard['name']))}.yaml`, stringify(guard)] as const] : [];
  if (agent === undefined) return guards;
  const inFolder = Object.entries(files).map(
    ([name, content]) => [join(requireName(agent), requireName(name)), content] as const,
  );
  return [...guards, ...inFolder];
}

/** The server names the files; a name that leaves the folder is refused. */
function requireName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) return name;
  throw new UnsafePath(`The server sent the name ${JSON.stringify(name)} for a file. Nothing is written there.`);
}

function describeFiles(files: readonly string[], folder: string | undefined): readonly string[] {
  if (files.length === 0) return [];
  const hasAgent = files.some((file) => file.endsWith('agent.yaml'));
  return [
    ...files.map((file) => `Written: ${file}`),
    ...(hasAgent ? [`The server reads the agent if PHASELINE_AGENTS_DIR contains ${folder}.`] : []),
  ];
}
