import {
  listClaimedDeliverables,
  MAIN_PLAN_FILE,
  listNeededFiles,
  listPhaseChecks,
  listPlannedChecks,
  findPendingOutcome,
  listChoosingChecks,
  TODOS_FILE,
  type ClaimTexts,
  type GateInput,
} from '@phaseline/domain';
import { isBlankText, yieldOnce } from '@phaseline/basics';
import { readClaimTexts } from '@phaseline/workspace';
import type { PendingCommit } from './pending-commit.js';

/** Reads the texts that the due decision needs, including the changes of this step. */
export async function readGateInput(commit: PendingCommit): Promise<GateInput> {
  const needed = listNeededFiles(commit.state);
  const read = async (path: string): Promise<string | undefined> =>
    needed.includes(path) ? commit.readText(path) : undefined;
  const texts = { todosFile: await read(TODOS_FILE), mainPlan: await read(MAIN_PLAN_FILE) };
  const readTexts = (checks: Parameters<typeof readClaimTexts>[0]): Promise<ClaimTexts> =>
    readClaimTexts(checks, commit.state, commit.workspace);
  const choosing = { claimTexts: await readTexts(listChoosingChecks(commit.state)) };
  const outcome = findPendingOutcome(commit.state, { ...texts, ...choosing });
  if (!outcome) return { ...texts, ...choosing };
  const planned = outcome.gates.includes('todos-file') ? listPlannedChecks(texts.todosFile) : [];
  const ofOutcome = await readTexts([...listPhaseChecks(commit.state, outcome), ...planned]);
  const claimTexts = new Map([...choosing.claimTexts, ...ofOutcome]);
  if (!outcome.gates.includes('deliverables')) return { ...texts, claimTexts };
  return { ...texts, claimTexts, blankFiles: await blankDeliverables(commit) };
}

/** Size of one read when looking for visible characters, in bytes. */
const CHUNK_BYTES = 64 * 1024;

async function blankDeliverables({ state, workspace }: PendingCommit): Promise<readonly string[]> {
  const blank: string[] = [];
  for (const path of listClaimedDeliverables(state)) {
    const size = state.tree[path]?.size ?? 0;
    if (size > 0 && (await isBlank(workspace, path, size))) blank.push(path);
  }
  return blank;
}

/** Reads in chunks, because most files have a visible character in their first bytes. */
async function isBlank(workspace: PendingCommit['workspace'], path: string, size: number): Promise<boolean> {
  const decoder = new TextDecoder();
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    const bytes = await workspace.readRange(path, { offset, length: CHUNK_BYTES });
    // A deliverable may be 64 MB of blanks, all in memory, so let other work run between chunks.
    if (offset > 0) await yieldOnce();
    if (!isBlankText(decoder.decode(bytes, { stream: offset + CHUNK_BYTES < size }))) return false;
  }
  return true;
}
