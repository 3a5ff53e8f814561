import {
  claimedDeliverables,
  MAIN_PLAN_FILE,
  neededFiles,
  pendingOutcome,
  TODOS_FILE,
  type GateInput,
} from '@phaseline/domain';
import { isBlankText, takeTurn } from '@phaseline/basics';
import type { Draft } from './draft.js';

/** Reads the texts that the due decision needs, including the changes of this step. */
export async function gateInput(draft: Draft): Promise<GateInput> {
  const needed = neededFiles(draft.state);
  const read = async (path: string): Promise<string | undefined> =>
    needed.includes(path) ? draft.readText(path) : undefined;
  const texts = { todosFile: await read(TODOS_FILE), mainPlan: await read(MAIN_PLAN_FILE) };
  if (pendingOutcome(draft.state, texts)?.gates.includes('deliverables') !== true) return texts;
  return { ...texts, blankFiles: await blankDeliverables(draft) };
}

/** Size of one read when looking for visible characters, in bytes. */
const CHUNK_BYTES = 64 * 1024;

async function blankDeliverables({ state, workspace }: Draft): Promise<readonly string[]> {
  const blank: string[] = [];
  for (const path of claimedDeliverables(state)) {
    const size = state.tree[path]?.size ?? 0;
    if (size > 0 && (await isBlank(workspace, path, size))) blank.push(path);
  }
  return blank;
}

/** Reads in chunks, because most files have a visible character in their first bytes. */
async function isBlank(workspace: Draft['workspace'], path: string, size: number): Promise<boolean> {
  const decoder = new TextDecoder();
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    const bytes = await workspace.readRange(path, { offset, length: CHUNK_BYTES });
    // A deliverable may be 64 MB of blanks, all in memory, so let other work run between chunks.
    if (offset > 0) await takeTurn();
    if (!isBlankText(decoder.decode(bytes, { stream: offset + CHUNK_BYTES < size }))) return false;
  }
  return true;
}
