import { createHash } from 'node:crypto';
import type { HookOutcome } from '../result/read-result.js';

/** Maximum length in characters of a text of a hook that the model sees whole. */
const MAX_TEXT_CHARACTERS = 10_000;
const PREVIEW_CHARACTERS = 2_000;
/** Folder of stored results in the workspace. */
const FOLDER = 'tool_results/guards';

/** A file of the workspace with a text that was too long. */
export interface SpilledFile {
  readonly path: string;
  readonly content: string;
}

/** Replaces texts of more than 10,000 characters by their beginning and the name of a file that has the whole text. */
export function spillLongTexts(outcome: HookOutcome): {
  readonly outcome: HookOutcome;
  readonly files: readonly SpilledFile[];
} {
  const files: SpilledFile[] = [];
  const spill = (text: string): string => {
    if (text.length <= MAX_TEXT_CHARACTERS) return text;
    // Named by its content, so that a repeated run writes the same file.
    const path = `${FOLDER}/${createHash('sha256').update(text).digest('hex').slice(0, 16)}.txt`;
    files.push({ path, content: text });
    return `${text.slice(0, PREVIEW_CHARACTERS)}\n[… ${text.length} characters; the whole text is in ${path}]`;
  };
  const { reason, message, stop, context } = outcome;
  return {
    outcome: {
      ...outcome,
      context: context.map(spill),
      ...(reason === undefined ? {} : { reason: spill(reason) }),
      ...(message === undefined ? {} : { message: spill(message) }),
      ...(stop === undefined ? {} : { stop: spill(stop) }),
    },
    files,
  };
}
