import { MAIN_PLAN_FILE, neededFiles, TODOS_FILE, type GateInput } from '@phaseline/domain';
import type { Draft } from './draft.js';

/** The texts that the decision needs which is due now, as they stand with everything of this step. */
export async function gateInput(draft: Draft): Promise<GateInput> {
  const needed = neededFiles(draft.state);
  const read = async (path: string): Promise<string | undefined> =>
    needed.includes(path) ? draft.readText(path) : undefined;
  return { todosFile: await read(TODOS_FILE), mainPlan: await read(MAIN_PLAN_FILE) };
}
