import {
  claimedDeliverables,
  isBlankText,
  MAIN_PLAN_FILE,
  neededFiles,
  pendingOutcome,
  TODOS_FILE,
  type GateInput,
} from '@phaseline/domain';
import { takeTurn } from '@phaseline/tools';
import type { Draft } from './draft.js';

/** The texts that the decision needs which is due now, as they stand with everything of this step. */
export async function gateInput(draft: Draft): Promise<GateInput> {
  const needed = neededFiles(draft.state);
  const read = async (path: string): Promise<string | undefined> =>
    needed.includes(path) ? draft.readText(path) : undefined;
  const texts = { todosFile: await read(TODOS_FILE), mainPlan: await read(MAIN_PLAN_FILE) };
  if (pendingOutcome(draft.state, texts)?.gates.includes('deliverables') !== true) return texts;
  return { ...texts, blankFiles: await blankDeliverables(draft) };
}

/** Read at once while looking for something to see. */
const STEP_BYTES = 64 * 1024;

async function blankDeliverables({ state, workspace }: Draft): Promise<readonly string[]> {
  const blank: string[] = [];
  for (const path of claimedDeliverables(state)) {
    const size = state.tree[path]?.size ?? 0;
    if (size > 0 && (await isBlank(workspace, path, size))) blank.push(path);
  }
  return blank;
}

/** Most files show something within their first bytes, so no more of them is read. */
async function isBlank(workspace: Draft['workspace'], path: string, size: number): Promise<boolean> {
  const decoder = new TextDecoder();
  for (let offset = 0; offset < size; offset += STEP_BYTES) {
    const bytes = await workspace.readRange(path, { offset, length: STEP_BYTES });
    // A deliverable may be 64 MB of blanks, and stand in memory.
    if (offset > 0) await takeTurn();
    if (!isBlankText(decoder.decode(bytes, { stream: offset + STEP_BYTES < size }))) return false;
  }
  return true;
}
