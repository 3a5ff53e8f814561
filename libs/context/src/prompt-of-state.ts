import type { ReasoningMode, ToolDefinition } from '@phaseline/contracts';
import { EXPERIENCES_FILE, listToolsInPrompt, MEMORY_FILE, type PhaseState } from '@phaseline/domain';
import { buildPrompt, type Prompt } from './build-prompt.js';
import type { ShownFile } from './shown-files-part.js';

/**
 * Maximum number of bytes read as text. Prompts and gates use at most 200,000 characters of a file, with at most four
 * bytes each.
 */
export const MAX_TEXT_BYTES = 1024 * 1024;

/** What a prompt is built from in addition to the state of its phase. */
export interface PromptSources {
  /** Reads at most the first MAX_TEXT_BYTES bytes of a file of the workspace; `undefined` if it does not exist. */
  readonly readText: (path: string) => Promise<string | undefined>;
  /** Reads at most the first MAX_TEXT_BYTES bytes of a stored text by its content hash; `undefined` if it does not exist. */
  readonly readStored: (hash: string) => Promise<string | undefined>;
  readonly tools: { specsOf(names: readonly string[]): readonly { readonly definition: ToolDefinition }[] };
  readonly maxOutputTokens: number;
  readonly reasoning: ReasoningMode;
}

/**
 * Builds the prompt of the next call from the state of a phase. A worker and everybody who reads the log later get the same prompt
 * from the same state.
 */
export async function buildPromptOfState(
  state: PhaseState,
  { readText, readStored, tools, maxOutputTokens, reasoning }: PromptSources,
): Promise<Prompt> {
  return buildPrompt({
    state,
    tools: tools.specsOf(listToolsInPrompt(state)).map(({ definition }) => definition),
    workspaceMemory: await readText(MEMORY_FILE),
    experiences: await readText(EXPERIENCES_FILE),
    shownFiles: await readShownFiles(state, readStored),
    maxOutputTokens,
    reasoning,
  });
}

async function readShownFiles(
  { start: { plan, workspace } }: PhaseState,
  readStored: PromptSources['readStored'],
): Promise<readonly ShownFile[]> {
  const files = await Promise.all(
    (plan.shows ?? []).map(async (path) => {
      const entry = workspace.tree[path];
      const text = entry && (await readStored(entry.hash));
      return text === undefined ? [] : [{ path, text }];
    }),
  );
  return files.flat();
}
